// Shows the value of the bar that a pointer or the arrow keys are at beside the chart's name, in place of the highest.
for (const chart of document.querySelectorAll(".chart")) {
  /** @type {SVGElement} */
  const drawing = chart.querySelector(".bars");
  const place = chart.querySelector("[data-value]");
  const highest = place.textContent;
  const bars = [...drawing.querySelectorAll("svg")];
  const texts = bars.map((bar) => bar.querySelector("title").textContent);
  for (const bar of bars) bar.querySelector("title").remove(); // the browser would show it again, later
  let at = -1;
  const show = (index) => {
    bars[at]?.classList.remove("shown");
    bars[index]?.classList.add("shown");
    at = index;
    place.textContent = texts[index] ?? highest;
  };
  const moves = {
    ArrowLeft: () => at - 1,
    ArrowRight: () => at + 1,
    Home: () => 0,
    End: () => bars.length - 1,
  };
  drawing.setAttribute("tabindex", "0");
  place.setAttribute("aria-live", "polite");
  bars.forEach((bar, index) => bar.addEventListener("pointerenter", () => show(index)));
  drawing.addEventListener("pointerleave", ({ pointerType }) => {
    if (pointerType === "mouse") show(-1);
  });
  drawing.addEventListener("focus", () => {
    if (at < 0) show(bars.length - 1);
  });
  drawing.addEventListener("blur", () => show(-1));
  drawing.addEventListener("keydown", (event) => {
    if (!(event.key in moves)) return;
    event.preventDefault();
    show(Math.min(bars.length - 1, Math.max(0, moves[event.key]())));
  });
}
