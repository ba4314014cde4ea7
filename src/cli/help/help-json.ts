import packageJson from "../../../package.json" with { type: "json" };
import { describeResponse } from "../../contract/responses.ts";
import { type ExitReason, exitCodeMeanings, exitCodes } from "../output/exit-codes.ts";
import type { CommandFacts } from "../output/command-facts.ts";
import type { ArgumentDescription, CommandDescription, FlagDescription } from "./describe.ts";
import { program } from "./describe.ts";
import { listVariables } from "./environment.ts";

/**
 * The commands as data, for programs that drive this one (docs/help.schema.json): those whose first words are `words`.
 * `all` are all commands.
 */
export function describeProgram(words: readonly string[], all: readonly CommandDescription[]) {
  return {
    schema: 1,
    name: program,
    version: packageJson.version,
    commands: all
      .filter((command) => words.every((word, at) => command.words[at] === word))
      .flatMap(({ facts, ...command }) => (facts ? [toCommand(command, facts)] : [])),
    exit_codes: exitCodeMeanings.map(([code, meaning]) => ({ code: Number(code), meaning })),
    environment: listVariables(all).map(([name, meaning]) => ({ name, meaning })),
  };
}

type Described = Omit<CommandDescription, "facts">;

function toCommand(
  command: Described,
  { writes, repeatable, exits, signals, output, variants = [] }: CommandFacts,
) {
  return {
    id: command.words.join(" "),
    summary: command.summary,
    description: command.description ?? null,
    args: command.arguments.map(toArgument),
    flags: command.flags.map(toFlag),
    writes,
    repeatable,
    exit_codes: listExits(exits, signals),
    output: typeof output === "string" ? describeResponse(output) : output,
    variants,
    examples: command.examples,
  };
}

function toArgument({ name, summary, values, required, repeatable }: ArgumentDescription) {
  return { name, summary, values, required, repeatable };
}

function toFlag(flag: FlagDescription) {
  return {
    name: flag.name,
    char: flag.char ?? null,
    summary: flag.summary,
    type: flag.valueName === undefined ? "boolean" : "string",
    values: flag.values,
    default: flag.default ?? null,
    variable: flag.variable ?? null,
    required: flag.required,
    repeatable: flag.repeatable,
    excludes: flag.excludes,
    needs: flag.needs,
  };
}

/** How every command may end. */
const commonExits: CommandFacts["exits"] = {
  fault: "internal error",
  usage: "your input: an unknown flag, a missing or malformed value",
  unavailable: "the output cannot be written",
};

/** A code that has two causes stands once, with both. */
function listExits(
  { done = "done", ...own }: CommandFacts["exits"],
  when: CommandFacts["signals"],
) {
  const reasons = Object.keys(exitCodes) as ExitReason[];
  const signals = exitCodeMeanings.slice(reasons.length);
  return [
    ...reasons.flatMap((reason) => {
      const causes = reason === "done" ? [done] : [own[reason], commonExits[reason]];
      const meaning = causes.filter((cause) => cause !== undefined).join("; or ");
      return meaning === "" ? [] : [{ code: exitCodes[reason], meaning }];
    }),
    ...signals.map(([code, meaning]) => ({
      code: Number(code),
      meaning: when === undefined ? meaning : `${meaning} ${when}`,
    })),
  ];
}
