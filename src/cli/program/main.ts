import packageJson from "../../../package.json" with { type: "json" };
import { writeFailure, UnknownFields, exitCodes } from "../errors/command-error.ts";
import { closedPipe, isClosedPipe } from "../output/closed-pipe.ts";
import { toProblemJson, formatProblem } from "../output/problem-text.ts";
import { setColors, getStyle } from "../output/style.ts";
import { endAfterSignal } from "../errors/interruption.ts";
import { toFailure, type Failure } from "../errors/problem.ts";
import type { ParserError } from "../help/usage-error.ts";
import { repeatTarget } from "../parse/repeat-target.ts";

/**
 * Runs the command line of this process, for the package at `root`. oclif's own `execute` ends the process
 * before a slow reader has read all output; this function only sets the exit code, so that Node ends once
 * all output is written.
 */
export async function main(root: string): Promise<void> {
  const argv = process.argv.slice(2);
  setColors(argv, process.env);
  closedPipe.endsCommand = false;
  watchOutput();
  process.stderr.on("error", () => {}); // the command continues if the reader of its notes is gone
  try {
    await run(argv, root);
    const { errored } = process.stdout;
    if (errored && !isClosedPipe(errored)) throw writeFailure(errored);
  } catch (error) {
    report(await explainError(error, argv), argv);
  }
  endAfterSignal();
}

async function run(argv: string[], root: string): Promise<void> {
  if (["--version", "-v", "-V", "version"].includes(argv[0] ?? "")) {
    const { name, version } = packageJson;
    const { platform, arch } = process;
    process.stdout.write(`${name}/${version} ${platform}-${arch} node-${process.version}\n`);
    return;
  }
  if (argv[0] === "__complete") {
    const { printCompletions } = await import("../help/completion.ts");
    printCompletions(argv.slice(1));
    return;
  }
  if (argv.length === 0 || findFlags(argv).some((word) => word === "--help" || word === "-h")) {
    const { showHelp } = await import("../help/show-help.ts");
    showHelp(argv);
    return;
  }
  const { findCommand, Program } = await import("./program.ts"); // which loads oclif
  const named = await findCommand(argv);
  if (!named) {
    const { showGroup } = await import("../help/show-help.ts");
    showGroup(argv);
    return;
  }
  watchOutput();
  await new named.Command(named.rest, new Program(root)).run();
}

/** Loads suggestions only for a refused command line, since other errors need none. */
async function explainError(error: unknown, argv: string[]): Promise<Failure> {
  const failure = isParserError(error) ? undefined : toFailure(error);
  if (failure && failure.exitCode !== exitCodes.usage) return failure;
  const { explainUnknownFields, suggestValue } = await import("../help/suggest.ts");
  if (error instanceof UnknownFields) return toFailure(explainUnknownFields(error));
  const { explainUsage } = await import("../help/usage-error.ts");
  const refused = failure ?? toFailure(explainUsage(error as ParserError, argv, process.env));
  refused.problem.hint ??= suggestValue(refused.problem, argv);
  return refused;
}

function report({ exitCode, problem, isLogged }: Failure, argv: string[]): void {
  process.exitCode = exitCode;
  const text = wantsJson(argv)
    ? toProblemJson(problem)
    : formatProblem(problem, getStyle("stderr"), {
        isLogged: isLogged && !isLogsGet(argv), // which would only fail again
        target: repeatTarget(argv, process.env),
      });
  process.stderr.write(`${text}\n`);
}

function isLogsGet([topic, command]: string[]): boolean {
  return topic === "logs" && command === "get";
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
function isParserError(error: unknown): error is ParserError {
  return (
    Error.isError(error) &&
    "oclif" in error &&
    !("code" in error && error.code === "MODULE_NOT_FOUND")
  );
}
