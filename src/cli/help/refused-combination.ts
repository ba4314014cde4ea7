import { type CommandError, usageError } from "../errors/command-error.ts";
import type { CommandDescription } from "./describe.ts";
import { joinWithAnd, joinWithOr } from "./nearest.ts";
import { describeHelp, describeUsage } from "./usage-line.ts";

const flag = "(--[a-z0-9-]+)";
const flags = "((?:--[a-z0-9-]+(?:, )?)+)";

/**
 * Flags that are missing, or don't go together; undefined where the message is about something else.
 * The message also tells values: only names of the command's own flags are taken from it.
 */
export function explainCombination(
  message: string,
  command: CommandDescription,
  commands: readonly CommandDescription[],
): CommandError | undefined {
  if (!message.startsWith("The following error")) return undefined;
  const own = (names: readonly string[]) =>
    names.filter((name) => command.flags.some((known) => `--${known.name}` === name));
  const missing = own(
    [...message.matchAll(/Missing required flag ([a-z0-9-]+)/g)].map(([, name]) => `--${name}`),
  );
  if (missing.length > 0)
    return usageError(`Missing ${joinWithAnd(missing)}.`, describeUsage(command, commands));

  const [, ...two] = found(`${flag}(?:=[^]*)? cannot also be provided when using ${flag}`, message);
  if (own(two).length === 2) {
    return usageError(`${joinWithAnd(two)} contradict each other.`, "Give one of them.");
  }
  const [, kind, asking = "", needed = ""] = found(
    `(All|One) of the following must be provided when using ${flag}: ${flags}`,
    message,
  );
  if (own([asking]).length > 0) {
    const names = own(needed.split(", "));
    const list = kind === "All" ? joinWithAnd(names) : joinWithOr(names);
    return usageError(`${asking} needs ${list} too.`, describeHelp(command.words));
  }
  const [, wanted = ""] = found(
    `(?:Exactly|At least) one of the following must be provided: ${flags}`,
    message,
  );
  const names = own(wanted.split(", "));
  if (names.length > 0)
    return usageError(`Missing ${joinWithOr(names)}.`, describeHelp(command.words));
  return usageError("These flags don't go together.", describeHelp(command.words));
}

function found(pattern: string, message: string): readonly string[] {
  return new RegExp(pattern).exec(message) ?? [];
}
