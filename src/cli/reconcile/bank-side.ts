import type { InferredFlags } from "@oclif/core/interfaces";
import { resolveAttachedNetwork } from "../config/network-settings.ts";
import { missingValue, usageError } from "../output/command-error.ts";
import {
  parseColumnMap,
  parseLineTypes,
  parseNetworkRange,
  parseRange,
  type reconcileFlags,
} from "./reconcile-flags.ts";
import type { ReportLine } from "./report-line.ts";
import type { Range } from "./reconcile.ts";
import type { NetworkTransaction } from "../../service/server/attach-network.ts";

/** The bank's side of a comparison, and the payments that it is compared with. */
export type BankSide = {
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
export function openReport(flags: Flags, livemode: boolean): BankSide {
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
      const { readReport } = await import("./read-report.ts");
      yield* readReport(report, options, signal);
    },
  };
}

/** The bank's side from the card network that PAYMENTS_NETWORK names. Test payments never reach it. */
export function openNetwork(flags: Flags, livemode: boolean, version: string): BankSide {
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
      const { stripeTypes } = await import("./report-line.ts");
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
