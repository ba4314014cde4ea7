/**
 * A command whose reader has left (`| head`) goes on without output, and ends with its own exit code, which may be a
 * verdict. One that does nothing else than write ends at once, with exit code 0 (`endsCommand`).
 */
export const closedPipe = { endsCommand: false };

export function isClosedPipe(error: Error | null | undefined): boolean {
  return error != null && "code" in error && error.code === "EPIPE";
}
