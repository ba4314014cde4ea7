/**
 * What a reader that closes the pipe (`| head`) does: it ends a command that only shows something, with exit code 0.
 * A command whose exit code is a verdict, or which writes to the service, goes on without output.
 */
export const closedPipe = { endsCommand: true };

export function isClosedPipe(error: Error | null | undefined): boolean {
  return error != null && "code" in error && error.code === "EPIPE";
}
