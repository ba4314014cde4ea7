import { spawnSync } from "node:child_process";
import { toBashCompletion } from "../../../../src/cli/help/completion/bash.ts";
import {
  listCompletedCommands,
  type CompletedCommand,
} from "../../../../src/cli/help/completion/completed-commands.ts";
import { commands } from "../../../testkit/command/built-commands.ts";

/** A locale that every machine has: bash prints a warning about a missing one. */
export const inC = { ...process.env, LC_ALL: "C" };

const built = listCompletedCommands(commands);

/**
 * Returns what bash itself offers when TAB is pressed at the end of a line, given as the words that
 * bash would break it into. Nothing of bash-completion is loaded.
 */
export function completeInBash(
  words: string[],
  {
    completed = built,
    breaks = ` \t\n"'><=;|&(:`,
    setup = "",
  }: { completed?: CompletedCommand[]; breaks?: string; setup?: string } = {},
): string[] {
  const script = `${toBashCompletion(completed)}
COMP_WORDBREAKS=$1; shift
COMP_WORDS=("$@")
COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
${setup}
__payments
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const argv = ["--norc", "--noprofile", "-c", script, "bash", breaks, "payments", ...words];
  const { stdout, stderr, status } = spawnSync("bash", argv, { encoding: "utf8", env: inC });
  if (stderr !== "" || status !== 0) throw new Error(`bash ended with ${status}: ${stderr}`);
  return stdout.split("\n").filter((line) => line !== "");
}
