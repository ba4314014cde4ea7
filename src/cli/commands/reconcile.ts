import type { PaymentsClient } from "../../client/client.ts";
import type { Payment } from "../../contract/payment.ts";
import { BaseCommand, type Output } from "../base/base-command.ts";
import { resolveAttachedNetwork } from "../config/network-settings.ts";
import { refuseOtherLogin, type Settings } from "../config/resolve-settings.ts";
import { CommandError, missingValue, usageError } from "../errors/command-error.ts";
import { watchInterruption } from "../errors/interruption.ts";
import { formatCount } from "../output/format.ts";
import { showProgress } from "../output/progress.ts";
import { collectEarly } from "../output/stream-list.ts";
import { connectionFlags, outputFlags } from "../parse/flags.ts";
import {
  parseColumnMap,
  parseLineTypes,
  parseNetworkRange,
  parseRange,
  reconcileFlags,
} from "../parse/reconcile-flags.ts";
import type { AmountUnit, ReportLine } from "../reconcile/report-line.ts";
import type { BothSides, Range, Reconciliation } from "../reconcile/reconcile.ts";

/** The bank's side of the comparison, and the payments that it is compared with. */
type Bank = {
  name: string;
  range: Range;
  open: (signal: AbortSignal) => AsyncIterable<ReportLine>;
};
type Flags = {
  [Name in "report" | "map" | "types" | "from" | "to" | "api-key-file"]?: string | undefined;
} & { amounts?: AmountUnit | undefined };

export default class Reconcile extends BaseCommand {
  static override summary = "Compare payments with the bank's or processor's books.";
  static override description =
    "Compares the account's live payments (test mode with --mode test) with a CSV, or with --network with the card network's own list. Stripe's itemized report \"Balance change from activity\" and the CSV of payments list are recognized. Changes nothing. Exits with 3 when the books differ.";
  static override examples = [
    "payments reconcile --report balance.csv",
    "payments reconcile --report balance.csv --from 2026-11-01 --to 2026-12-01 -o csv",
    'payments reconcile --report bank.csv --map "payment=Reference,amount=Gross,currency=Currency,type=Type" --types "charge=Sale,refund=Credit,other=Payout" --amounts major',
    "PAYMENTS_NETWORK=stripe payments reconcile --network --from 30d",
  ];
  static override flags = { ...reconcileFlags, ...outputFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { flags } = await this.parse(Reconcile);
    const output = this.parseOutput(flags);
    const mode = flags.mode ?? process.env["PAYMENTS_MODE"] ?? "live";
    const openBank = flags.network
      ? this.openNetwork(flags, mode)
      : this.openReport(flags, mode === "live");
    const settings = await this.resolveSettings({ ...flags, mode });
    refuseOtherLogin(settings, flags, process.env);
    using interruption = watchInterruption({ hasPrompted: false });
    const { signal } = interruption;
    const { name, range, open } = openBank;
    const isAgreed = await this.withClient(flags, settings, async (client) => {
      const payments = listPayments(client, range, signal);
      const livemode = settings.mode === "live";
      const sides = { payments, lines: open(signal), range, livemode, signal };
      return await this.compare(sides, name, settings, output);
    });
    if (isAgreed) return;
    throw new CommandError("not_as_expected", "The books differ.");
  }

  /** The bank's side from a file. Everything about the flags is checked before anything is read. */
  private openReport(flags: Flags, livemode: boolean): Bank {
    const { report, amounts } = flags;
    const range = parseRange(flags, Date.now());
    const map = parseColumnMap(flags.map);
    const options = { map, types: parseLineTypes(flags.types), amounts, livemode };
    if (report === undefined) {
      throw missingValue([["the bank's books", "--report FILE, or --network"]]);
    }
    if (report === "-" && flags["api-key-file"] === "-") {
      throw usageError("Standard input can be only one of --report and --api-key-file.");
    }
    if (map && !amounts) {
      throw usageError("--map needs --amounts: minor for 4999, or major for 49.99.");
    }
    return {
      name: report === "-" ? "standard input" : report,
      range,
      open: async function* (signal) {
        const { readReport } = await import("../reconcile/read-report.ts");
        yield* readReport(report, options, signal);
      },
    };
  }

  /** The bank's side from the card network. Test payments never reach it. */
  private openNetwork(flags: Flags, mode: string): Bank {
    if (mode !== "live") {
      throw usageError(
        "--network compares live payments: test payments reach no card network. Nothing was sent.",
        "Use --mode live, or compare with a file: --report FILE.",
      );
    }
    const network = resolveAttachedNetwork(process.env);
    const { range, asked } = parseNetworkRange(flags, Date.now());
    const { version } = this.config;
    return {
      name: "stripe" in network ? "Stripe's" : network.url,
      range,
      open: async function* (signal) {
        const { listTransactions } = await import("../../service/server/list-transactions.ts");
        const { toReportLine } = await import("../reconcile/network-line.ts");
        for await (const page of listTransactions(network, { version, range: asked, signal })) {
          yield* page.map(toReportLine);
        }
      },
    };
  }

  private async compare(
    sides: Omit<BothSides, "onProgress">,
    from: string,
    settings: Settings,
    output: Output,
  ): Promise<boolean> {
    collectEarly();
    const { reconcile } = await import("../reconcile/reconcile.ts");
    using progress = showProgress(process.stderr, process.env, this.errorStyle);
    const onProgress = (lines: number, payments: number) => {
      if (!this.isHumanOutput(output)) return;
      progress.at(`${formatCount(lines)} lines and ${formatCount(payments)} payments read`);
    };
    return await reconcile({ ...sides, onProgress }, async (outcome) => {
      progress[Symbol.dispose]();
      this.noteSimulator(settings, output);
      await this.showOutcome(outcome, from, output);
      return Object.values(outcome.lists).every(({ count }) => count === 0);
    });
  }

  private async showOutcome(outcome: Reconciliation, from: string, { format }: Output) {
    if (format === "table") {
      const { formatReconciliation } = await import("../output/reconciliation-text.ts");
      const { style, width } = this;
      return await this.write(`${formatReconciliation(outcome, { style, width, from })}\n`);
    }
    const { writeReconciliation } = await import("../output/reconciliation-json.ts");
    const indented = process.stdout.isTTY;
    let text = "";
    for (const part of writeReconciliation(outcome, format, { indented })) {
      text += part;
      if (text.length < 16_384) continue;
      await this.write(text);
      text = "";
    }
    return await this.write(text);
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
