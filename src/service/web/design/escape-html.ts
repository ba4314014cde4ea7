/** A text as HTML, between tags or inside a double-quoted attribute. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/**
 * A text of someone else's (a merchant's, a customer's) as HTML. Line breaks become spaces, and what
 * would turn the direction of writing or is a control character becomes a visible mark: such a text
 * says nothing about the amount or the button beside it. The element around it isolates it.
 */
export function isolateBidi(text: string): string {
  return escapeHtml(
    text
      .replaceAll(/[\t-\r\u0085\u2028\u2029]+/g, " ")
      .replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069\ufeff]/gu, "\ufffd")
      .toWellFormed(),
  );
}
