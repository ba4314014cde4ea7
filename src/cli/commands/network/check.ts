import type { ChalkInstance } from "chalk";
import { escapeControls } from "../../../runtime/text.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { CommandError } from "../../output/command-error.ts";
import { watchInterruption } from "../../output/interruption.ts";
import { checkChallengeCard } from "../../flags/checked-values.ts";
import { outputFlags, requiredArg, switchFlag, textFlag } from "../../flags/flags.ts";
import { showProgress } from "../../output/write-output.ts";
import { resolveAdapter } from "../../config/serve-settings.ts";
import type { CommandFacts } from "../../output/command-facts.ts";

export default class NetworkCheck extends BaseCommand {
  static override summary = "Check an adapter of a card network against the protocol.";
  static override description =
    "Charges 1.00 EUR several times, with made-up ids and the test cards 4242 4242 4242 4242 and 4000 0000 0000 0002, and refunds everything: let the adapter use its bank's test system. The adapter's secret comes from PAYMENTS_NETWORK_SECRET. Exits with 1 when a check fails. docs/network-protocol.md is the protocol.";
  static override examples = [
    "payments network check https://adapter.example.com",
    "payments network check http://127.0.0.1:8500 --json",
    "payments network check http://127.0.0.1:8500 --challenge --challenge-card 4000002760003184",
  ];
  static override args = {
    url: requiredArg("The adapter's address, with https, or with http on this machine."),
  };
  static override flags = {
    challenge: switchFlag("Also check how the bank asks the customer (3-D Secure).", {
      dependsOn: ["challenge-card"],
    }),
    "challenge-card": textFlag(
      "The card that asks the customer at the bank's test system.",
      "<digits>",
      { dependsOn: ["challenge"] },
    ),
    ...outputFlags,
  };
  static facts: CommandFacts = {
    writes: "payments",
    repeatable: "never",
    exits: { fault: "the adapter breaks a promise" },
    output: {
      object: "network_check",
      fields: [
        "object",
        "url",
        "passed",
        "failed",
        "checks[].name",
        "checks[].ok",
        "checks[].detail",
      ],
    },
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(NetworkCheck);
    const output = this.parseOutput(flags);
    const card = flags["challenge-card"];
    const challengeCardNumber = card === undefined ? undefined : checkChallengeCard(card);
    const adapter = { ...resolveAdapter(args.url, process.env), version: this.config.version };
    using interruption = watchInterruption({ hasPrompted: false });
    const { signal } = interruption;
    const { checkNetwork } = await import("../../../service/server/attach-network.ts");
    const progress = showProgress(process.stderr, process.env, this.errorStyle);
    const onCheck = (name: string, limitMs: number) => {
      const limit = `at most ${limitMs / 1_000} s`;
      if (this.isHumanOutput(output)) progress.at(`Trying (${limit}): ${name}`);
    };
    const report = await checkNetwork(adapter, {
      signal,
      onCheck,
      challengeCardNumber,
    }).finally(() => progress[Symbol.dispose]());
    const { checks, failed } = report;
    await this.show(
      {
        value: report,
        records: checks,
        columns: ["name", "ok", "detail"],
        text: () => formatNetworkCheck(checks, this.style),
      },
      output,
    );
    signal.throwIfAborted();
    if (failed === 0) return;
    throw new CommandError("fault", `The adapter fails ${failed} of ${checks.length} checks.`);
  }
}

type Check = { name: string; ok: boolean; detail: string };

function formatNetworkCheck(checks: readonly Check[], style: ChalkInstance): string {
  return checks
    .map(({ name, ok, detail }) =>
      ok
        ? `${style.green("ok")}    ${name}${detail && `: ${escapeControls(detail)}`}`
        : `${style.red("FAIL")}  ${name}: ${escapeControls(detail)}`,
    )
    .join("\n");
}
