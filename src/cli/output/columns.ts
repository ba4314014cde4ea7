import stringWidth from "fast-string-width";
import { wrapAnsi } from "fast-wrap-ansi";

// What all that stands side by side on a screen is made of: tables, choices, help.

/** How many columns of a screen a text takes, its colours left out. */
export function textWidth(text: string): number {
  return stringWidth(text);
}

/** How far columns stand apart. */
export const gapWidth = 2;

/** Cells side by side, each padded to its width, on the left where `right` says so. */
export function sideBySide(
  cells: readonly string[],
  widths: readonly number[],
  right: (at: number) => boolean = () => false,
): string {
  return cells
    .map((cell, at) => {
      const padding = " ".repeat(Math.max(0, (widths[at] ?? 0) - textWidth(cell)));
      return right(at) ? padding + cell : cell + padding;
    })
    .join(" ".repeat(gapWidth))
    .trimEnd();
}

/** A text in lines that are no wider than `width`, broken between words; `hard` breaks words, too. */
export function wrapped(text: string, width: number, { hard = false } = {}): string[] {
  if (textWidth(text) <= width) return [text];
  return wrapAnsi(text, width, { hard }).split("\n");
}

/** The beginning of a text that is too wide. It is cut between the characters that people see. */
export function shortened(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let kept = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (textWidth(kept + segment) > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}
