import Table from "cli-table3";
import type { ChalkInstance } from "chalk";

const noBorders = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "  ",
};

/** Columns under a heading, as wide as their widest cell; `right` names columns of numbers. */
export function table(
  head: string[],
  rows: string[][],
  style: ChalkInstance,
  right: string[] = [],
): string {
  const drawn = new Table({
    head: head.map((title) => style.bold(title)),
    chars: noBorders,
    colAligns: head.map((title) => (right.includes(title) ? "right" : "left")),
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [] },
  });
  drawn.push(...rows);
  return trimmed(drawn.toString());
}

/** Names and their values, one a line. */
export function details(pairs: [name: string, value: string][], style: ChalkInstance): string {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${style.dim(name.padEnd(width))}  ${value}`).join("\n");
}

function trimmed(text: string): string {
  return text.replaceAll(/[ \t]+$/gm, "");
}
