/**
 * A command whose reader has left (`| head`) goes on without output, and ends with its own exit code, which may be a
 * verdict. One that does nothing else than write ends at once, with exit code 0 (`endsCommand`).
 */
export const closedPipe = { endsCommand: false };

export function isClosedPipe(error: Error | null | undefined): boolean {
  return error != null && "code" in error && error.code === "EPIPE";
}

/**
 * Resolves once standard output has accepted the text, or has no reader any more; with the error where the text cannot
 * be written. Where the reader's leaving ends the command, main.ts ends the process.
 */
export async function writeOutput(text: string): Promise<Error | undefined> {
  const { stdout } = process;
  if (isClosedPipe(stdout.errored)) return undefined;
  return await new Promise((resolve) => {
    stdout.write(text, (error: Error | null | undefined) => {
      if (!isClosedPipe(error)) resolve(error ?? undefined);
      else if (!closedPipe.endsCommand) resolve(undefined);
    });
  });
}
