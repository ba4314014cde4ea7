import Table from "cli-table3";
import { wrapAnsi } from "fast-wrap-ansi";
import textWidth from "string-width";
import { gapWidth } from "./resource.ts";

export { textWidth };

/** The table's borders, all of them empty: only a gap separates two cells. */
const borders =
  "top top-left top-mid top-right left right bottom bottom-left bottom-mid bottom-right";
const frame = {
  chars: {
    ...Object.fromEntries(borders.split(" ").map((border) => [border, ""])),
    middle: " ".repeat(gapWidth),
  },
  // Never printed, since no cell is cut. But with a shorter mark the library cuts each cell to 10 columns,
  // character by character, for its debug log: a long text of wide characters would take minutes.
  truncate: ".".repeat(10),
  style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
};

/**
 * Lays out one line of cells, each padded to its width; `right` selects the columns to align right. Each
 * line is a table of its own: a table of many rows stores them all, and compares each with all before it.
 */
export function layOutColumns(
  cells: readonly string[],
  widths: readonly number[],
  right: (at: number) => boolean = () => false,
): string {
  const line = new Table({
    ...frame,
    colWidths: widths.map((width, at) => Math.max(width, textWidth(cells[at] ?? ""))), // none is cut
    colAligns: cells.map((_, at) => (right(at) ? "right" : "left")),
  });
  line.push([...cells]);
  return line.toString().trimEnd();
}

/** Breaks a text between words into lines no wider than `width`; with `breaksWords` also inside long words. */
export function wrapText(text: string, width: number, { breaksWords = false } = {}): string[] {
  if (textWidth(text) <= width) return [text];
  return wrapAnsi(text, width, { hard: breaksWords }).split("\n");
}

/** Cuts a text that is too wide, between the characters that people see. */
export function shorten(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  if (/^[ -~]*$/.test(text)) return `${text.slice(0, width - 1)}…`; // a segmenter is slow to load
  let start = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (textWidth(start + segment) > width - 1) break;
    start += segment;
  }
  return `${start}…`;
}
