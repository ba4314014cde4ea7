import { gapWidth, layOutColumns, wrapText } from "../output/text-layout.ts";

const indent = "  ";
/** A wider name gets a line of its own, so that it doesn't push all meanings to the right. */
const maxLeft = 32;
/** A narrower column is unreadable; a terminal without room for it may break the lines itself. */
const minRight = 20;

export type Definition = readonly [name: string, meaning: string];

/** Names and their meanings in two columns, the right one wrapped; `emphasize` styles the names. */
export function formatDefinitions(
  all: readonly Definition[],
  width: number,
  emphasize: (text: string) => string,
): string {
  const left = Math.max(
    0,
    ...all.map(([name]) => name.length).filter((length) => length <= maxLeft),
  );
  const right = Math.max(minRight, width - indent.length - left - gapWidth);
  return all
    .flatMap(([name, meaning]) => {
      const lines = formatParagraphs(meaning, right);
      const rows = name.length > left ? [[name], ...beside("", lines)] : beside(name, lines);
      return rows.map(([first = "", second = ""]) =>
        (indent + layOutColumns([first && emphasize(first), second], [left])).trimEnd(),
      );
    })
    .join("\n");
}

function beside(name: string, lines: readonly string[]): string[][] {
  return lines.map((line, at) => [at === 0 ? name : "", line]);
}

/**
 * Breaks text between words into lines no wider than `width`, unless one word is. A line that begins with
 * spaces stays whole: it may be a command to copy.
 */
export function formatParagraphs(text: string, width: number): string[] {
  return text
    .split("\n")
    .flatMap((line) => (line.startsWith(" ") ? [line] : wrapText(line, width)));
}
