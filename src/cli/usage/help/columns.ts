const indent = "  ";
const gap = 2;
/** What is wider on the left stands on a line of its own, so that it doesn't push all others away. */
const maxLeft = 32;
/** What is narrower cannot be read; a terminal that is may break the lines itself. */
const minRight = 20;

export type Row = readonly [left: string, right: string];

/** Two columns, the right one wrapped to the width; `emphasize` styles what stands on the left. */
export function columns(
  rows: readonly Row[],
  width: number,
  emphasize: (text: string) => string,
): string {
  const left = Math.max(
    0,
    ...rows.map(([text]) => text.length).filter((length) => length <= maxLeft),
  );
  const margin = " ".repeat(indent.length + left + gap);
  return rows
    .map(([name, text]) => {
      const [first = "", ...more] = wrapped(text, Math.max(minRight, width - margin.length));
      const isWide = name.length > left;
      const start = `${indent}${emphasize(name)}${" ".repeat(Math.max(0, left + gap - name.length))}`;
      const lines = isWide
        ? [`${indent}${emphasize(name)}`, `${margin}${first}`]
        : [`${start}${first}`];
      return [...lines, ...more.map((line) => `${margin}${line}`)]
        .map((line) => line.trimEnd())
        .join("\n");
    })
    .join("\n");
}

/** Paragraphs broken between words, none wider than `width` unless one word is. */
export function wrapped(text: string, width: number): string[] {
  return text.split("\n").flatMap((paragraph) => wrappedLine(paragraph, width));
}

/** A line that begins with spaces is laid out already: a command to copy stays in one piece. */
function wrappedLine(line: string, width: number): string[] {
  if (line.startsWith(" ")) return [line];
  const lines: string[] = [];
  for (const word of line.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && `${last} ${word}`.length <= width) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word);
  }
  return lines;
}
