import { gapWidth, shorten, layOutColumns, textWidth } from "../output/text-layout.ts";

const minLastWidth = 10;
const minReadableWidth = 8;

/**
 * Lays out rows of cells, and shortens them until no row is wider than `width`: first the last column, which
 * holds free text, then the widest. The first column, an amount, stays whole: half an amount is another
 * amount. Without room for a readable width the last columns are left out.
 */
export function fitRows(rows: string[][], width: number): string[] {
  const count = Math.max(...rows.map((row) => row.length), 0);
  const widest = Array.from({ length: count }, (_, at) =>
    Math.max(...rows.map((row) => textWidth(row[at] ?? ""))),
  );
  const filled = widest.flatMap((columnWidth, at) => (columnWidth > 0 ? [at] : []));
  const filledWidths = filled.map((at) => widest[at] ?? 0);
  const shown = filled.slice(0, countFittingColumns(filledWidths, width));
  const available = width - gapWidth * (shown.length - 1);
  const widths = narrowColumns(filledWidths.slice(0, shown.length), available);
  return rows.map((row) =>
    layOutColumns(
      shown.map((at, index) => {
        const cell = row[at] ?? "";
        return index === 0 ? cell : shorten(cell, widths[index] ?? 0);
      }),
      widths,
    ),
  );
}

/** Counts the columns that fit: the first in full, each later one with a readable width. */
function countFittingColumns([first = 0, ...later]: number[], width: number): number {
  let used = first;
  const full = later.findIndex((columnWidth) => {
    used += gapWidth + Math.min(columnWidth, minReadableWidth);
    return used > width;
  });
  return full === -1 ? later.length + 1 : full + 1;
}

function narrowColumns([first = 0, ...later]: number[], available: number): number[] {
  const fitting = [...later];
  let excess = first + later.reduce((sum, width) => sum + width, 0) - available;
  for (; excess > 0; excess--) {
    const last = fitting.length - 1;
    const widest = fitting.indexOf(Math.max(...fitting));
    const narrower = (fitting[last] ?? 0) > minLastWidth ? last : widest;
    const width = fitting[narrower] ?? 0;
    if (width <= 1) break;
    fitting[narrower] = width - 1;
  }
  return [first, ...fitting];
}
