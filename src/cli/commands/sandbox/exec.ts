import * as Args from "@oclif/core/args";
import { createSandboxEnvironment } from "../../../runtime/child-programs.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { claimEnvFile } from "../../config/write-env-file.ts";
import { usageError } from "../../output/command-error.ts";
import { envFileFlag, portFlag, switchFlag, textFlag } from "../../flags/flags.ts";
import { sandboxRequestView } from "../../output/account-views.ts";
import { getGivenEnvironment } from "../../output/style.ts";
import { type Journal, openJournal, runInSandbox } from "../../sandbox/run-in-sandbox.ts";
import { parseStartFlags, startFlags } from "./index.ts";
import type { CommandFacts } from "../../output/command-facts.ts";

export default class SandboxExec extends BaseCommand {
  static override summary = "Run a command, such as your tests, with a sandbox of its own.";
  static override description =
    "The sandbox begins before the command and ends with it; the exit code is the command's. In the command's environment are the sandbox's address and keys, and a home of its own, so that payments in it acts on this sandbox without a login. See docs/testing.md.";
  static override examples = [
    "payments sandbox exec -- npm test",
    "payments sandbox exec --clock manual --seed 1 -- pytest",
    "payments sandbox exec --forward-to http://localhost:3000/hooks -- npm run e2e",
    "payments sandbox exec --keep-journal requests.jsonl -- sh ci/pay-with-test-cards.sh",
  ];
  static override args = {
    command: Args.string({
      description: "The command and its arguments, after --.",
      required: true,
      multiple: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    ...startFlags,
    port: portFlag(0),
    "forward-to": textFlag("Forward each event to this address, as listen does.", "<url>"),
    ...envFileFlag,
    "keep-journal": textFlag(
      "Write the requests of the command into this file, a line of JSON each.",
      "<path>",
    ),
    quiet: switchFlag("Print nothing beside what the command prints."),
  };
  static facts: CommandFacts = {
    writes: "nothing",
    repeatable: "always",
    exits: {
      done: "the command ended with 0; any other exit code may be the command's own",
      unavailable: "the sandbox cannot be started, or ended before the command",
      unusable_program: "the command cannot be run",
      no_program: "the command is not found",
    },
    output: null,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SandboxExec);
    if (process.platform === "win32") {
      throw usageError(
        "payments sandbox exec needs Linux or macOS.",
        "Start the sandbox by itself: payments sandbox --write-env FILE",
      );
    }
    const [file = "", ...rest] = args.command;
    if (this.argv.at(-rest.length - 2) !== "--") {
      throw usageError("-- must stand before the command.", "payments sandbox exec -- npm test");
    }
    const { "write-env": envPath, "keep-journal": journalPath, quiet: isQuiet } = flags;
    const wanted = parseStartFlags(flags);
    const forward = await parseForward(flags);
    const envFile = envPath === undefined ? undefined : claimEnvFile(envPath, "sandbox");
    using journal = openJournal(journalPath);
    const { exitCode, problem } = await runInSandbox({
      words: [file, ...rest],
      wanted,
      env: createSandboxEnvironment(getGivenEnvironment()),
      envFile,
      journal,
      forward,
      version: this.config.version,
      onListening: (url) => {
        if (!isQuiet) process.stderr.write(`Sandbox at ${url}\n`);
      },
    });
    if (exitCode !== 0 && !isQuiet) await this.explainRequests(journal, journalPath);
    if (journal.failure) {
      this.note(`The file of --keep-journal has not all requests: ${journal.failure.reason}.`);
    }
    if (problem) throw problem;
    process.exitCode = exitCode;
  }

  /** Shows what went wrong between the command and its sandbox, where the command failed. */
  private async explainRequests({ wrong, count, failure }: Journal, path: string | undefined) {
    if (count === 0) return;
    if (wrong.length > 0) {
      const { formatItems } = await import("../../output/resource-text.ts");
      const layout = { style: this.errorStyle, width: process.stderr.columns || undefined };
      this.note(`The last requests that were refused, failed or met a fault:`);
      this.note(formatItems(sandboxRequestView, wrong, layout));
    }
    if (failure) return;
    const all = count === 1 ? "The one request" : `All ${count} requests`;
    this.note(`${all}: ${path ?? "run it again with --keep-journal FILE."}`);
  }
}

/** Loaded only where events are forwarded: tests should begin soon. */
async function parseForward(flags: { "forward-to": string | undefined }) {
  if (flags["forward-to"] === undefined) return undefined;
  const { parseForwarding } = await import("../../listen/listen-flags.ts");
  return parseForwarding(flags);
}
