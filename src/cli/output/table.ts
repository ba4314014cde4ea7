import type { ChalkInstance } from "chalk";
import { gapWidth, sideBySide, textWidth, wrapped } from "./columns.ts";

type Layout = {
  style: ChalkInstance;
  /** Columns of the terminal; undefined: as wide as it gets. */
  width?: number | undefined;
  /** Titles of the columns of numbers. */
  right?: string[];
  /** Titles of the columns that are never wrapped; the first by default. */
  whole?: string[];
};
type Column = { index: number; title: string; width: number; leastWidth: number };

const indent = "  ";
/** A long text is wrapped, but not to less than this. */
const leastTextWidth = 24;

/**
 * Columns under a heading, as wide as their widest cell. Where the terminal is too narrow, long texts
 * are wrapped and the last columns go to a line of their own: nothing is cut off. An id, by default
 * the first column, stays whole.
 */
export function table(
  head: string[],
  rows: string[][],
  { style, width = Number.POSITIVE_INFINITY, right = [], whole = head.slice(0, 1) }: Layout,
): string {
  const columns = head.map((title, index): Column => {
    // Not as arguments of Math.max: a long table has more rows than a call may have arguments.
    const natural = rows.reduce(
      (widest, row) => Math.max(widest, textWidth(row[index] ?? "")),
      textWidth(title),
    );
    const leastWidth = whole.includes(title) ? natural : Math.min(natural, leastTextWidth);
    return { index, title, width: natural, leastWidth };
  });
  const lines = folded(columns, width).map((line, at) =>
    fitted(line, width - (at === 0 ? 0 : indent.length)),
  );
  const drawn = [head.map((title) => style.bold(title)), ...rows].flatMap((row) =>
    lines.flatMap((line, at) => drawnLine(row, line, at === 0 ? "" : indent, right)),
  );
  return drawn.join("\n");
}

/** Names and their values, one a line. */
export function details(pairs: [name: string, value: string][], style: ChalkInstance): string {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => sideBySide([style.dim(name), value], [width])).join("\n");
}

/** The columns as they share lines: as many on each as there is room for. */
function folded(columns: Column[], width: number): Column[][] {
  const lines: Column[][] = [];
  let left = 0;
  for (const column of columns) {
    const line = lines.at(-1);
    if (line && column.leastWidth + gapWidth <= left) {
      line.push(column);
      left -= column.leastWidth + gapWidth;
    } else {
      left = width - (line ? indent.length : 0) - column.leastWidth;
      lines.push([column]);
    }
  }
  return lines;
}

/** What room is left on a line goes to its columns from the left, until each is as wide as it likes. */
function fitted(line: Column[], width: number): Column[] {
  const taken = line.reduce((sum, { leastWidth }) => sum + leastWidth + gapWidth, -gapWidth);
  let left = width - taken;
  return line.map((column) => {
    const more = Math.max(0, Math.min(left, column.width - column.leastWidth));
    left -= more;
    return { ...column, width: column.leastWidth + more };
  });
}

function drawnLine(row: string[], line: Column[], before: string, right: string[]): string[] {
  const cells = line.map(({ index, width }) => wrapped(row[index] ?? "", width, { hard: true }));
  const height = Math.max(...cells.map((cell) => cell.length));
  const widths = line.map(({ width }) => width);
  return Array.from({ length: height }, (_, at) => {
    const texts = cells.map((cell) => cell[at] ?? "");
    return before + sideBySide(texts, widths, (index) => right.includes(line[index]?.title ?? ""));
  });
}
