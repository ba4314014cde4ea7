import type { ChalkInstance } from "chalk";
import Table from "cli-table3";
import measure from "fast-string-width";
import { wrapAnsi } from "fast-wrap-ansi";
import { gapWidth } from "./resource.ts";

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
/** The library compares each cell of a table with all above it: a long list is drawn as several tables. */
const rowsAtOnce = 25;

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

/** As `formatTable`, line by line, with a few rows in memory: the rows are read twice, first for their widths. */
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
  const toCell = (row: readonly string[], { index, width: cellWidth, paint }: SizedColumn) =>
    split(row[index] ?? "", cellWidth)
      .map((text) => (paint ? paint(style, text) : text))
      .join("\n");
  // The heading is as wide as its column, and so are all tables of a list, each of which begins with it.
  const toHeading = ({ title, width: cellWidth, isRight }: SizedColumn) => {
    const [first = "", ...others] = split(title, cellWidth);
    const padding = " ".repeat(Math.max(0, cellWidth - measure(first)));
    const text = isRight ? padding + style.bold(first) : style.bold(first) + padding;
    return [text, ...others.map((each) => style.bold(each))].join("\n");
  };
  const drawLine = (line: SizedColumn[], set: readonly (readonly string[])[], margin: string) =>
    drawRows(
      [line.map(toHeading), ...set.map((row) => line.map((column) => toCell(row, column)))],
      (at) => line[at]?.isRight ?? false,
    ).map((drawn) => drawn.map((text) => margin + text));

  let isFirst = true;
  for (const set of takeSets(rows)) {
    const drawn = lines.map((line, at) => drawLine(line, set, at === 0 ? "" : indent));
    for (let row = isFirst ? 0 : 1; row <= set.length; row++) {
      for (const line of drawn) yield* line[row] ?? [];
    }
    isFirst = false;
  }
}

/** Parts rows into sets that are drawn at once; without any row there is one empty set. */
function* takeSets<Row>(rows: Iterable<Row>): Generator<Row[]> {
  let set: Row[] = [];
  for (const row of rows) {
    if (set.length === rowsAtOnce) {
      yield set;
      set = [];
    }
    set.push(row);
  }
  yield set;
}

const borders =
  "top top-left top-mid top-right left left-mid mid mid-mid right right-mid bottom bottom-left bottom-mid bottom-right";
/** The table's borders, all of them empty: only a gap separates two cells. */
const frame = {
  chars: {
    ...Object.fromEntries(borders.split(" ").map((border) => [border, ""])),
    middle: " ".repeat(gapWidth),
  },
  style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
};

/**
 * Draws cells side by side, each column as wide as its widest cell, and gives the lines of each row, of which a cell
 * with line breaks has several. `isRight` selects the columns to align right. The library counts columns by the tables
 * of an old Unicode: so it draws as many stand-ins as a text takes columns, and the text takes their place afterwards.
 */
export function drawRows(
  rows: readonly (readonly string[])[],
  isRight: (at: number) => boolean = () => false,
): string[][] {
  const colAligns = rows[0]?.map((_, at) => (isRight(at) ? ("right" as const) : ("left" as const)));
  const table = new Table({ ...frame, ...(colAligns && { colAligns }) });
  const texts: string[] = [];
  const heights = rows.map((row) => {
    const cells = row.map((cell) => cell.split("\n"));
    const height = Math.max(...cells.map(({ length }) => length));
    for (let line = 0; line < height; line++)
      texts.push(...cells.flatMap((cell) => cell[line] || []));
    table.push(cells.map((cell) => cell.map(toStandIns).join("\n")));
    return height;
  });
  let nextText = 0;
  const drawn = table.toString().replaceAll(/x+/g, () => texts[nextText++] ?? "");
  const lines = drawn.split("\n").map((line) => line.trimEnd());
  let nextLine = 0;
  return heights.map((height) => lines.slice(nextLine, (nextLine += height)));
}

function toStandIns(text: string): string {
  return text === "" ? "" : "x".repeat(Math.max(1, measure(text)));
}

/** Names and their values, one a line. */
export function formatPairs(
  pairs: readonly (readonly [name: string, value: string])[],
  style: ChalkInstance,
): string {
  return drawRows(pairs.map(([name, value]) => [style.dim(name), value]))
    .flat()
    .join("\n");
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
      widest[index] = Math.max(widest[index] ?? 0, measure(row[index] ?? ""));
    }
  }
  return columns.flatMap((column, index) => {
    const filled = widest[index] ?? 0;
    if (omitsEmpty && filled === 0) return [];
    const width = Math.max(filled, measure(column.title));
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

/** How many columns of a screen a text takes, its colours left out. */
export { measure };

/** Breaks a text between words into lines no wider than `width`; with `breaksWords` also inside long words. */
export function wrapText(text: string, width: number, { breaksWords = false } = {}): string[] {
  if (measure(text) <= width) return [text];
  return wrapAnsi(text, width, { hard: breaksWords }).split("\n");
}

/** Cuts a text that is too wide, between the characters that people see. */
export function shorten(text: string, width: number): string {
  if (measure(text) <= width) return text;
  if (/^[ -~]*$/.test(text)) return `${text.slice(0, width - 1)}…`; // a segmenter is slow to load
  let start = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (measure(start + segment) > width - 1) break;
    start += segment;
  }
  return `${start}…`;
}
