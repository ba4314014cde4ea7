import type { ChalkInstance } from "chalk";
import { gapWidth, shortened, layOutColumns, textWidth, wrapText } from "./columns.ts";

type Layout = {
  style: ChalkInstance;
  /** Columns of the terminal; undefined: as wide as it gets. */
  width?: number | undefined;
  /** Titles of the columns of numbers. */
  right?: string[];
  /** How the cells of a column are coloured, by its title. */
  paint?: Record<string, (text: string) => string>;
};
type Column = { index: number; title: string; width: number; leastWidth: number };
type Cut = (text: string, width: number) => string[];

const indent = "  ";
/** A long text is wrapped, but not to less than this. */
const leastTextWidth = 24;

/**
 * Columns under a heading, as wide as their widest cell. Where the terminal is too narrow, long texts
 * are wrapped and the last columns go to a line of their own: nothing is cut off. What is in `whole`,
 * by default the first column, where an id stands, is never wrapped.
 */
export function formatTable(
  head: string[],
  rows: string[][],
  layout: Layout & { whole?: string[] },
): string {
  const { width = Number.POSITIVE_INFINITY, whole = head.slice(0, 1) } = layout;
  const columns = columnsOf(head, rows, (title) =>
    whole.includes(title) ? undefined : leastTextWidth,
  );
  const lines = folded(columns, width).map((line, at) =>
    fitted(line, width - (at === 0 ? 0 : indent.length)),
  );
  return drawn(head, rows, lines, layout, (text, room) => wrapText(text, room, { hard: true }));
}

/**
 * The same with one line a row: the texts that `least` names are shortened to what room there is, but
 * not to less than it says, and where that is not enough the last columns are left out. Where there is
 * no width everything is whole.
 */
export function toLines(
  head: string[],
  rows: string[][],
  layout: Layout & { least: Record<string, number> },
): string {
  const { width = Number.POSITIVE_INFINITY } = layout;
  const columns = columnsOf(head, rows, (title) => layout.least[title]);
  const lines = folded(columns, width)
    .slice(0, 1)
    .map((line) => fitted(line, width));
  return drawn(head, rows, lines, layout, (text, room) => [shortened(text, room)]);
}

/** Names and their values, one a line. */
export function formatPairs(
  pairs: readonly (readonly [name: string, value: string])[],
  style: ChalkInstance,
): string {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => layOutColumns([style.dim(name), value], [width])).join("\n");
}

export type Pair = readonly [name: string, value: string | null | undefined];

/** The same of what there is: what is empty is left out. */
export function formatDetails(pairs: readonly Pair[], style: ChalkInstance): string {
  const filled = pairs.filter((pair): pair is [string, string] => Boolean(pair[1]));
  return formatPairs(filled, style);
}

function columnsOf(
  head: string[],
  rows: string[][],
  leastOf: (title: string) => number | undefined,
): Column[] {
  return head.map((title, index) => {
    // Not as arguments of Math.max: a long table has more rows than a call may have arguments.
    const width = rows.reduce(
      (widest, row) => Math.max(widest, textWidth(row[index] ?? "")),
      textWidth(title),
    );
    return { index, title, width, leastWidth: Math.min(width, leastOf(title) ?? width) };
  });
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

/** The widest columns of a line give way, to what they need at least, until it fits. */
function fitted(line: Column[], width: number): Column[] {
  const columns = line.map((column) => ({ ...column }));
  let excess = columns.reduce((sum, column) => sum + column.width + gapWidth, -gapWidth) - width;
  for (; excess > 0; excess--) {
    const [widest] = columns
      .filter((column) => column.width > column.leastWidth)
      .toSorted((one, other) => other.width - one.width);
    if (!widest) break;
    widest.width--;
  }
  return columns;
}

function drawn(
  head: string[],
  rows: string[][],
  lines: Column[][],
  { style, right = [], paint = {} }: Layout,
  cut: Cut,
): string {
  const drawnRow = (row: string[], painted: (text: string, title: string) => string) =>
    lines.flatMap((line, at) => {
      const before = at === 0 ? "" : indent;
      const cells = line.map(({ index, width }) => cut(row[index] ?? "", width));
      const widths = line.map(({ width }) => width);
      const isRight = (column: number) => right.includes(line[column]?.title ?? "");
      return Array.from({ length: Math.max(...cells.map((cell) => cell.length)) }, (_, part) => {
        const texts = line.map(({ title }, column) => painted(cells[column]?.[part] ?? "", title));
        return before + layOutColumns(texts, widths, isRight);
      });
    });
  return [
    ...drawnRow(head, (text) => style.bold(text)),
    ...rows.flatMap((row) => drawnRow(row, (text, title) => paint[title]?.(text) ?? text)),
  ].join("\n");
}
