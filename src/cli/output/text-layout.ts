import measure from "fast-string-width";
import { wrapAnsi } from "fast-wrap-ansi";

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
