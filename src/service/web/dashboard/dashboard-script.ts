/** What helps, and nothing that a page needs: times in the reader's own zone, and what is shown once is copied by a button. */
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
    field.focus(); // selected, where the browser leaves the copying to people
    navigator.clipboard?.writeText(field.value).then(() => { button.textContent = "Copied"; }, () => {});
  });
}
// Of two presses the browser would show the second one's answer, which has no secret.
const sent = new Set();
addEventListener("submit", (event) => {
  if (event.target.method !== "post") return;
  if (sent.has(event.target)) event.preventDefault();
  sent.add(event.target);
});
addEventListener("pageshow", () => sent.clear());

// Where the places do not fit side by side, the one that is shown. scrollIntoView would have the first Tab go on from there.
const places = document.querySelector(".places");
const current = places?.querySelector("[aria-current]")?.getBoundingClientRect();
if (current) places.scrollLeft += Math.max(0, current.right - places.getBoundingClientRect().right);
// A menu closes where something else is pressed, or reached by the keyboard: it would lie over that.
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
