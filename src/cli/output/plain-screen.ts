/**
 * Whether the screen must be plain: text line after line, nothing redrawn, no escape sequences. A
 * person who listens to a screen reader asks for it with ACCESSIBLE, a terminal with TERM=dumb.
 */
export function wantsPlainScreen(env: Record<string, string | undefined>): boolean {
  return Boolean(env["ACCESSIBLE"]) || env["TERM"] === "dumb";
}
