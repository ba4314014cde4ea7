/**
 * Text from an API made harmless for a terminal: control characters (escape sequences begin with
 * one), line breaks, and characters that turn the direction of writing become visible marks.
 */
export function safeText(text: string): string {
  return text.replaceAll(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu, "\ufffd");
}
