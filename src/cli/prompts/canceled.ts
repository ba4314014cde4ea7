import { CommandError, exitCodes } from "../endings/exit-codes.ts";

/** The person said no, or left a question with Ctrl-C or Ctrl-D: nothing has been sent by then. */
export function canceled(message = "Canceled; nothing was sent."): CommandError {
  return new CommandError(exitCodes.saidNo, message);
}
