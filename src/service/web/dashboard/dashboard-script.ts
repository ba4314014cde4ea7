/** No page needs this script: it shows times in the reader's own zone, and adds a button that copies a secret. */
export const dashboardScript = String.raw`
"use strict";
const local = new Intl.DateTimeFormat("en-GB", {
  day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "short",
});
for (const time of document.querySelectorAll("time[data-local]")) time.textContent = local.format(new Date(time.dateTime));

for (const button of document.querySelectorAll("button[data-copies]")) {
  const field = document.getElementById(button.dataset.copies);
  field.addEventListener("focus", () => field.select());
  button.hidden = false;
  button.addEventListener("click", () => {
    field.focus(); // selects the secret, in case the browser forbids scripts to copy
    navigator.clipboard?.writeText(field.value).then(() => { button.textContent = "Copied"; }, () => {});
  });
}
// After two presses the browser would show the second one's answer, which has no secret.
const sent = new Set();
addEventListener("submit", (event) => {
  if (event.target.method !== "post") return;
  if (sent.has(event.target)) event.preventDefault();
  sent.add(event.target);
});
addEventListener("pageshow", () => sent.clear());

// Scrolls the navigation to the current section where they do not fit side by side. After scrollIntoView the first Tab would go on from there.
const sections = document.querySelector(".sections");
const current = sections?.querySelector("[aria-current]")?.getBoundingClientRect();
if (current) sections.scrollLeft += Math.max(0, current.right - sections.getBoundingClientRect().right);
// A menu closes when something else is pressed, or reached by the keyboard: it would cover that.
const closeOthers = ({ target }) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(target)) menu.open = false;
};
addEventListener("click", closeOthers);
addEventListener("focusin", closeOthers);
addEventListener("keydown", ({ key }) => {
  const menu = key === "Escape" && document.querySelector("details.menu[open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});
`;
