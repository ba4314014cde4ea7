// No page needs this script: it writes times as ages and in the operator's own zone, and adds buttons that copy.
"use strict";
const times = [...document.querySelectorAll("time")];
/** The buttons that have a datum. */
const findButtons = (name) =>
  [...document.querySelectorAll("button")].filter(({ dataset }) => name in dataset);
const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
const age = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const units = [
  ["minute", 60],
  ["hour", 3600],
  ["day", 86400],
];
const span = new Intl.RelativeTimeFormat("en", { numeric: "always" });
// The service's clock decides: a sandbox may have moved it.
const { now } = document.querySelector("main").dataset;
const aheadMs = now ? Number.parseInt(now, 10) - Date.now() : 0;
const describeAge = (seconds, format = age) => {
  const size = Math.abs(seconds);
  if (size < 60) return seconds < 0 ? "in less than a minute" : "just now";
  if (size > 7 * 86400) return undefined;
  const [unit, length] = units.findLast((each) => size >= each[1]);
  return format.format(-Math.trunc(seconds / length), unit);
};
const describeSince = (seconds) => {
  if (seconds < 60) return "for less than a minute";
  const text = describeAge(seconds, span);
  return text && "for " + text.replace(" ago", "");
};
const showTimes = ({ isPrinted = false } = {}) => {
  const timeZone = localStorage.getItem("zone") === "own" ? own : "UTC";
  /** @type {Intl.DateTimeFormatOptions} */
  const date = { day: "numeric", month: "short", year: "numeric", timeZone };
  const day = new Intl.DateTimeFormat("en-GB", date);
  const whole = new Intl.DateTimeFormat("en-GB", {
    ...date,
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "short",
  });
  for (const time of times) {
    const at = Date.parse(time.dateTime);
    const write = (format) => format.format(at).replace("Sept", "Sep");
    const text = write(whole);
    const lasts = "since" in time.dataset;
    const isShort = !isPrinted && (lasts || time.closest(".list, .log, .timeline, .under-head"));
    const short =
      isShort && (lasts ? describeSince : describeAge)((Date.now() + aheadMs - at) / 1000);
    time.textContent = short || (lasts ? "since " : "") + (isShort ? write(day) : text);
    time.title = text;
  }
  for (const button of findButtons("zone")) {
    button.hidden = own === "UTC";
    button.textContent = "Show times in " + (timeZone === "UTC" ? own.replaceAll("_", " ") : "UTC");
  }
};
showTimes();
// On paper an age says nothing, and a title is not seen.
addEventListener("beforeprint", () => showTimes({ isPrinted: true }));
addEventListener("afterprint", () => showTimes());
for (const button of findButtons("zone"))
  button.addEventListener("click", () => {
    localStorage.setItem("zone", localStorage.getItem("zone") === "own" ? "utc" : "own");
    showTimes();
  });

const copy = async (button, text) => {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {} // the browser forbids scripts to copy
};
for (const button of findButtons("copies")) {
  /** @type {any} */
  const field = document.getElementById(button.dataset.copies);
  field.addEventListener("focus", () => field.select());
  button.hidden = false;
  button.addEventListener("click", () => {
    field.focus(); // selects the secret, in case the browser forbids scripts to copy
    void copy(button, field.value);
  });
}
for (const button of findButtons("copy")) {
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", () => void copy(button, button.dataset.copy));
}
// After two presses the browser would show the second one's answer, which has no secret.
const sent = new Set();
addEventListener("submit", (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || form.method !== "post") return;
  if (sent.has(form)) event.preventDefault();
  sent.add(form);
});
addEventListener("pageshow", () => sent.clear());

// A menu closes when something else is pressed, or reached by the keyboard: it would cover that. A press moves the focus
// before it is over, and must find its target in the same place, so that the focus alone closes nothing.
const closeOthers = ({ target }) => {
  for (const menu of document.querySelectorAll("details"))
    if (menu.matches(".menu[open]:not(:has(.mistake))") && !menu.contains(target))
      menu.open = false;
};
addEventListener("click", closeOthers);
addEventListener("keyup", (event) => {
  if (event.key === "Tab") closeOthers(event);
});
addEventListener("keydown", ({ key }) => {
  /** @type {HTMLDetailsElement | null} */
  const menu = key === "Escape" ? document.querySelector("details.menu[open]") : null;
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});
