import stringWidth from "string-width";

const gap = "  ";
const leastOfLast = 10;

/**
 * Rows of cells under each other, shortened until no row is wider than `width`: first the last
 * column, where free text belongs, then whatever is widest.
 */
export function columns(rows: string[][], width: number): string[] {
  const count = Math.max(...rows.map((row) => row.length), 0);
  const widest = Array.from({ length: count }, (_, at) =>
    Math.max(...rows.map((row) => stringWidth(row[at] ?? ""))),
  );
  const shown = widest.flatMap((columnWidth, at) => (columnWidth > 0 ? [at] : []));
  const widths = narrowed(widest, width - gap.length * (shown.length - 1));
  return rows.map((row) =>
    shown
      .map((at) => padded(shortened(row[at] ?? "", widths[at] ?? 0), widths[at] ?? 0))
      .join(gap)
      .trimEnd(),
  );
}

function narrowed(widths: number[], available: number): number[] {
  const fitting = [...widths];
  let excess = widths.reduce((sum, width) => sum + width, 0) - available;
  for (; excess > 0; excess--) {
    const last = fitting.length - 1;
    const widest = fitting.indexOf(Math.max(...fitting));
    const narrower = (fitting[last] ?? 0) > leastOfLast ? last : widest;
    const width = fitting[narrower] ?? 0;
    if (width <= 1) break;
    fitting[narrower] = width - 1;
  }
  return fitting;
}

/** Cuts between the characters that people see: an emoji or an accented letter stays whole. */
function shortened(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(kept + segment) > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

function padded(text: string, width: number): string {
  return text + " ".repeat(width - stringWidth(text));
}
