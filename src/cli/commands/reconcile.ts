import type { InferredFlags } from "@oclif/core/interfaces";
import type { PaymentsClient } from "../../client/client.ts";
import type { Payment } from "../../contract/payment.ts";
import type { NetworkTransaction } from "../../service/server/attach-network.ts";
import { type Settings, refuseOtherLogin } from "../config/resolve-settings.ts";
import { resolveAttachedNetwork } from "../config/serve-settings.ts";
import { repeatFlags } from "../flags/checked-values.ts";
import { connectionFlags, outputFlags } from "../flags/flags.ts";
import { CommandError, missingValue, usageError } from "../output/command-error.ts";
import { type CommandFacts, readExits } from "../output/command-facts.ts";
import { hearSignals, watchInterruption } from "../output/interruption.ts";
import { collectEarly } from "../output/stream-list.ts";
import { formatCount } from "../output/style.ts";
import { showProgress } from "../output/write-output.ts";
import { BaseCommand, type Output } from "../program/base-command.ts";
import { noteSimulator, resolveSafeSettings, withClient } from "../program/connection.ts";
import {
  parseColumnMap,
  parseLineTypes,
  parseNetworkRange,
  parseRange,
  reconcileFlags,
} from "../reconcile/reconcile-flags.ts";
import type { BothSides, Range, Reconciliation } from "../reconcile/reconcile.ts";
import type { ReportLine } from "../reconcile/report-line.ts";

export default class Reconcile extends BaseCommand {
  static override summary = "Compare payments with the bank's or processor's books.";
  static override description =
    "Compares the account's live payments (test mode with --mode test) with a CSV, or with --network with the card network's own list. Stripe's itemized report \"Balance change from activity\" and the CSV of payments list are recognized by their columns' names, others by what their columns hold: payments' ids, amounts, currencies. Changes nothing. Exits with 3 when the books differ.";
  static override examples = [
    "payments reconcile --report balance.csv",
    "payments reconcile --report balance.csv --from 2026-11-01 --to 2026-12-01 -o csv",
    'payments reconcile --report bank.csv --map "payment=Reference,amount=Gross,currency=Currency,type=Type" --types "charge=Sale,refund=Credit,other=Payout"',
    "payments reconcile --network --from 30d",
  ];
  static override flags = { ...reconcileFlags, ...outputFlags, ...connectionFlags };
  static facts: CommandFacts = {
    writes: "nothing",
    repeatable: "always",
    exits: { ...readExits, not_as_expected: "the books differ" },
    output: {
      object: "reconciliation",
      fields: [
        "object",
        "livemode",
        "from",
        "to",
        "agrees",
        "payments",
        "lines",
        "passed_over.other",
        "passed_over.out_of_range",
        "only_here",
        "only_there",
        "another_amount",
        "another_state",
      ],
    },
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Reconcile);
    const output = this.parseOutput(flags);
    const mode = flags.mode ?? process.env["PAYMENTS_MODE"] ?? "live";
    const isLive = mode === "live";
    const bank = flags.network
      ? openNetwork(flags, isLive, this.config.version)
      : openReport(flags, isLive);
    const settings = await resolveSafeSettings(this, { ...flags, mode });
    refuseOtherLogin(settings, flags, process.env);
    using interruption = watchInterruption({ hasPrompted: false });
    const { signal } = interruption;
    const comparing = withClient(this, flags, settings, async (client) => {
      const { range } = bank;
      const payments = listPayments(client, range, signal);
      const target = repeatFlags(this.typed, process.env, { mode, context: this.place?.context });
      const lines = bank.open(signal);
      const sides = { payments, lines, range, livemode: isLive, target, signal };
      return await this.compare(sides, bank, settings, output);
    });
    // A disk that does not answer is not waited for.
    if (await hearSignals(comparing)) return;
    throw new CommandError("not_as_expected", "The books differ.");
  }

  private async compare(
    sides: Omit<BothSides, "onProgress">,
    bank: BankSide,
    settings: Settings,
    output: Output,
  ): Promise<boolean> {
    const { reconcile } = await import("../reconcile/reconcile.ts");
    using memory = new DisposableStack();
    memory.use(collectEarly());
    using progress = showProgress(process.stderr, process.env, this.errorStyle);
    const onProgress = (lines: number, payments: number) => {
      if (!this.isHumanOutput(output)) return;
      progress.at(`${formatCount(lines)} lines and ${formatCount(payments)} payments read`);
    };
    return await reconcile({ ...sides, onProgress }, async (outcome) => {
      progress[Symbol.dispose]();
      noteSimulator(this, settings, output);
      await this.showOutcome(outcome, bank, output, sides.signal);
      return Object.values(outcome.lists).every(({ count }) => count === 0);
    });
  }

  private async showOutcome(
    outcome: Reconciliation,
    bank: BankSide,
    { format }: Output,
    signal: AbortSignal,
  ): Promise<void> {
    const { drawReconciliation, drawRecords, writePieces } =
      await import("../reconcile/draw-reconciliation.ts");
    const { isTTY } = process.stdout;
    let pieces: Iterable<string>;
    if (format === "table") {
      const { style, width } = this;
      pieces = drawReconciliation(outcome, bank, { style, width, isShortened: isTTY });
    } else {
      pieces = drawRecords(outcome, { format, indented: isTTY });
    }
    await writePieces(pieces, async (text) => {
      signal.throwIfAborted();
      await this.write(text);
    });
  }
}

/** Pages of payments of the range, each requested while the one before it is stored. */
async function* listPayments(
  client: PaymentsClient,
  { from, to }: Range,
  signal: AbortSignal,
): AsyncGenerator<readonly Payment[]> {
  const query = { "created[gte]": from, "created[lt]": to };
  const pages = client.payments.pages(query, undefined, { signal });
  for (let next = pages.next(); ;) {
    const { value: page, done } = await next;
    if (done) return;
    next = pages.next();
    next.catch(() => {}); // the next round of the loop raises its failure
    yield page.data;
  }
}

/** The bank's side of a comparison, and the payments that it is compared with. */
type BankSide = {
  /** In a sentence: 12 lines of balance.csv. */
  unit: "line" | "transaction";
  name: string;
  range: Range;
  open: (signal: AbortSignal) => AsyncIterable<ReportLine>;
};

type Flags = Partial<InferredFlags<typeof reconcileFlags>> & {
  "api-key-file"?: string | undefined;
};

/** The bank's side from a file. All flags are checked before anything is read. Errors: a flag is missing or wrong. */
function openReport(flags: Flags, livemode: boolean): BankSide {
  const { report, amounts, decimal, encoding } = flags;
  const range = parseRange(flags, Date.now());
  const map = parseColumnMap(flags.map);
  const types = parseLineTypes(flags.types);
  const options = { map, types, amounts, decimal, encoding, livemode };
  if (report === undefined) {
    throw missingValue([["the bank's books", "--report FILE, or --network"]]);
  }
  if (report === "-" && flags["api-key-file"] === "-") {
    throw usageError("Standard input can be only one of --report and --api-key-file.");
  }
  return {
    unit: "line",
    name: report === "-" ? "standard input" : report,
    range,
    open: async function* (signal) {
      const { readReport } = await import("../reconcile/read-report.ts");
      yield* readReport(report, options, signal);
    },
  };
}

/** The bank's side from the card network that PAYMENTS_NETWORK names. Test payments never reach it. */
function openNetwork(flags: Flags, livemode: boolean, version: string): BankSide {
  if (!livemode) {
    throw usageError(
      "--network compares live payments: test payments reach no card network. Nothing was sent.",
      "Use --mode live, or compare with a file: --report FILE.",
    );
  }
  const network = resolveAttachedNetwork(process.env);
  const { range, asked } = parseNetworkRange(flags, Date.now());
  return {
    unit: "transaction",
    name: "stripe" in network ? "Stripe" : network.url,
    range,
    open: async function* (signal) {
      const { listTransactions } = await import("../../service/server/attach-network.ts");
      const { stripeTypes } = await import("../reconcile/report-line.ts");
      // A category that came after this program moves no payment's money.
      const toReportLine = ({ type, ...rest }: NetworkTransaction): ReportLine => ({
        ...rest,
        type: stripeTypes.get(type) ?? "other",
        line: null,
      });
      for await (const page of listTransactions(network, { version, range: asked, signal })) {
        yield* page.map(toReportLine);
      }
    },
  };
}
