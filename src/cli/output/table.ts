import type { ChalkInstance } from "chalk";
import { gapWidth } from "./resource.ts";
import { layOutColumns, shorten, textWidth, wrapText } from "./text-layout.ts";

type Column = {
  title: string;
  /** The minimum width of its text; without it the text stays whole. */
  minWidth?: number | undefined;
  isRight?: boolean | undefined;
  paint?: ((style: ChalkInstance, text: string) => string) | undefined;
};
type Layout = {
  style: ChalkInstance;
  /** Columns of the terminal; undefined: unlimited. */
  width?: number | undefined;
  /** `wrap` breaks wide texts, and moves the last columns to lines of their own; `cut` keeps each row on one line. */
  overflow?: "wrap" | "cut" | undefined;
  /** Whether columns without any text are left out. */
  omitsEmpty?: boolean | undefined;
};
type SizedColumn = Column & { index: number; width: number; minWidth: number };

const indent = "  ";

/**
 * Formats columns under a heading, as wide as their widest cell. In a narrow terminal columns shrink to their
 * `minWidth`; columns that still do not fit move to a line of their own, or are left out with `cut`.
 */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  layout: Layout,
): string {
  return [...drawTable(columns, rows, layout)].join("\n");
}

/** As `formatTable`, line by line, with one row in memory: the rows are read twice, first for their widths. */
export function* drawTable(
  columns: readonly Column[],
  rows: Iterable<readonly string[]>,
  { style, width = Number.POSITIVE_INFINITY, overflow = "wrap", omitsEmpty = false }: Layout,
): Generator<string> {
  const lines = foldColumns(sizeColumns(columns, rows, omitsEmpty), width)
    .slice(0, overflow === "cut" ? 1 : undefined)
    .map((line, at) => narrowColumns(line, width - (at === 0 ? 0 : indent.length)));
  const split = (text: string, available: number) =>
    overflow === "cut"
      ? [shorten(text, available)]
      : wrapText(text, available, { breaksWords: true });
  const drawRow = (row: readonly string[], paint: (text: string, column: Column) => string) =>
    lines.flatMap((line, at) => {
      const cells = line.map(({ index, width: cellWidth }) => split(row[index] ?? "", cellWidth));
      const height = Math.max(...cells.map((cell) => cell.length));
      return Array.from({ length: height }, (_, part) => {
        const texts = line.map((column, position) => paint(cells[position]?.[part] ?? "", column));
        const widths = line.map((column) => column.width);
        const drawn = layOutColumns(texts, widths, (position) => line[position]?.isRight ?? false);
        return (at === 0 ? "" : indent) + drawn;
      });
    });
  yield* drawRow(
    columns.map(({ title }) => title),
    (text) => style.bold(text),
  );
  for (const row of rows) {
    yield* drawRow(row, (text, { paint }) => (paint ? paint(style, text) : text));
  }
}

/** Names and their values, one a line. */
export function formatPairs(
  pairs: readonly (readonly [name: string, value: string])[],
  style: ChalkInstance,
): string {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => layOutColumns([style.dim(name), value], [width])).join("\n");
}

type Pair = readonly [name: string, value: string | null | undefined];

/** Names and values, one a line, without those that are empty. */
export function formatDetails(pairs: readonly Pair[], style: ChalkInstance): string {
  const filled = pairs.filter((pair): pair is [string, string] => Boolean(pair[1]));
  return formatPairs(filled, style);
}

function sizeColumns(
  columns: readonly Column[],
  rows: Iterable<readonly string[]>,
  omitsEmpty: boolean,
): SizedColumn[] {
  const widest = columns.map(() => 0);
  for (const row of rows) {
    for (const index of widest.keys()) {
      widest[index] = Math.max(widest[index] ?? 0, textWidth(row[index] ?? ""));
    }
  }
  return columns.flatMap((column, index) => {
    const filled = widest[index] ?? 0;
    if (omitsEmpty && filled === 0) return [];
    const width = Math.max(filled, textWidth(column.title));
    return [{ ...column, index, width, minWidth: Math.min(width, column.minWidth ?? width) }];
  });
}

/** Fills each line with as many columns as fit. */
function foldColumns(columns: readonly SizedColumn[], width: number): SizedColumn[][] {
  const lines: SizedColumn[][] = [];
  let left = 0;
  for (const column of columns) {
    const line = lines.at(-1);
    if (line && column.minWidth + gapWidth <= left) {
      line.push(column);
      left -= column.minWidth + gapWidth;
    } else {
      left = width - (line ? indent.length : 0) - column.minWidth;
      lines.push([column]);
    }
  }
  return lines;
}

/** Narrows the widest columns of a line, down to their `minWidth`, until the line fits. */
function narrowColumns(line: readonly SizedColumn[], width: number): SizedColumn[] {
  const columns = line.map((column) => ({ ...column }));
  let excess = columns.reduce((sum, column) => sum + column.width + gapWidth, -gapWidth) - width;
  for (; excess > 0; excess--) {
    const [widest] = columns
      .filter((column) => column.width > column.minWidth)
      .toSorted((one, other) => other.width - one.width);
    if (!widest) break;
    widest.width--;
  }
  return columns;
}
