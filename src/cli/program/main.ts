import packageJson from "../../../package.json" with { type: "json" };
import { UnknownFields, WrongValue, writeFailure } from "../output/command-error.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { closedPipe, isClosedPipe } from "../output/write-output.ts";
import {
  type Failure,
  formatProblem,
  toFailure,
  toProblemJson,
} from "../output/explain-failure.ts";
import { setColors, getStyle } from "../output/style.ts";
import { endAfterSignal } from "../output/interruption.ts";
import type { NamedCommand, ParserError } from "../help/usage-error.ts";
import { toSafeJson } from "../../runtime/text.ts";
import { type ParsedTokens, repeatFlags } from "../flags/checked-values.ts";

/**
 * Runs the command line of this process, for the package at `root`. oclif's own `execute` ends the process
 * before a slow reader has read all output; this function only sets the exit code, so that Node ends once
 * all output is written.
 */
export async function main(root: string): Promise<void> {
  const argv = process.argv.slice(2);
  setColors(findFlags(argv), process.env);
  closedPipe.endsCommand = false;
  watchOutput();
  process.stderr.on("error", () => {}); // the command continues if the reader of its notes is gone
  const line: CommandLine = { argv, typed: [] };
  try {
    await run(line, root);
    const { errored } = process.stdout;
    if (errored && !isClosedPipe(errored)) throw writeFailure(errored);
  } catch (error) {
    report(await explainError(error, line), line);
  }
  endAfterSignal();
}

/** A command line, and what is known of it when it fails: the command that it names, and what that has parsed. */
type CommandLine = { argv: string[]; named?: NamedCommand; typed: ParsedTokens };

async function run(line: CommandLine, root: string): Promise<void> {
  const { argv } = line;
  if (["--version", "-v", "-V", "version"].includes(argv[0] ?? "")) {
    const { name, version } = packageJson;
    const { platform, arch } = process;
    process.stdout.write(`${name}/${version} ${platform}-${arch} node-${process.version}\n`);
    return;
  }
  if (argv[0] === "__sandbox") {
    const { runSandboxProcess } = await import("../sandbox/open-sandbox.ts");
    await runSandboxProcess(packageJson.version);
    return;
  }
  if (argv[0] === "__complete") {
    const { printCompletions } = await import("../help/completion.ts");
    await printCompletions(argv.slice(1), async () => {
      const { completeContexts } = await import("../config/contexts.ts");
      return completeContexts(process.env);
    });
    return;
  }
  if (argv[0] === "context" && argv[1] === "show") {
    const { describeForPrompt } = await import("../config/contexts.ts");
    const context = describeForPrompt(argv.slice(2), process.env);
    if (context) {
      process.stdout.write(`${toSafeJson(context, { indented: process.stdout.isTTY })}\n`);
      return;
    }
  }
  if (argv.length === 0 || findFlags(argv).some((word) => word === "--help" || word === "-h")) {
    const { showHelp } = await import("../help/show-help.ts");
    showHelp(argv, root);
    return;
  }
  const { findCommand, Program } = await import("./program.ts"); // which loads oclif
  const named = await findCommand(argv);
  if (!named) {
    const { showGroup } = await import("../help/show-help.ts");
    showGroup(argv, root);
    return;
  }
  watchOutput();
  const command = new named.Command(named.rest, new Program(root));
  line.named = named;
  await command.run().finally(() => {
    line.typed = command.typed ?? [];
  });
}

/** Loads suggestions only for a refused command line, since other errors need none. */
async function explainError(error: unknown, { named, typed }: CommandLine): Promise<Failure> {
  const failure = toFailure(named && isRefusal(error) ? await explain(error, named) : error);
  if (failure.exitCode !== exitCodes.usage) return failure;
  const { explainUnknownFields, suggestValue } = await import("../help/suggest.ts");
  if (error instanceof UnknownFields) return toFailure(explainUnknownFields(error));
  failure.problem.hint ??= suggestValue(failure.problem, typed);
  return failure;
}

async function explain(error: ParserError | WrongValue, named: NamedCommand): Promise<unknown> {
  const { explainUsage } = await import("../help/usage-error.ts");
  return explainUsage(error, named, process.env);
}

function report(
  { exitCode, problem, isLogged }: Failure,
  { argv, named, typed }: CommandLine,
): void {
  process.exitCode = exitCode;
  const text = wantsJson(argv)
    ? toProblemJson(problem)
    : formatProblem(problem, getStyle("stderr"), {
        isLogged: isLogged && named?.id !== "logs:get", // which would only fail again
        target: repeatFlags(typed, process.env),
      });
  process.stderr.write(`${text}\n`);
}

/** Called again once oclif is loaded: oclif's own listener throws an error that no caller can catch. */
function watchOutput(): void {
  process.stdout.removeAllListeners("error");
  process.stdout.on("error", (error) => {
    if (isClosedPipe(error) && closedPipe.endsCommand) process.exit(exitCodes.done);
  });
}

/** Whether a machine reads the errors. Does not use oclif's parser, since the flags themselves may be wrong. */
function wantsJson(argv: string[]): boolean {
  const flags = findFlags(argv);
  return flags.some(
    (flag, at) =>
      flag === "--json" ||
      /^(?:--output=|-o=?)(?:nd)?json$/.test(flag) ||
      (/^(?:--output|-o)$/.test(flag) && /^(?:nd)?json$/.test(flags[at + 1] ?? "")),
  );
}

/** The words before `--`: those after it are no flags. */
function findFlags(argv: string[]): string[] {
  const end = argv.indexOf("--");
  return argv.slice(0, end === -1 ? undefined : end);
}

/** Excludes oclif's error for a missing module of the program. */
function isRefusal(error: unknown): error is ParserError | WrongValue {
  if (error instanceof WrongValue) return true;
  return (
    Error.isError(error) &&
    "oclif" in error &&
    !("code" in error && error.code === "MODULE_NOT_FOUND")
  );
}
