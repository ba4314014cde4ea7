import { expect, test } from "vitest";
import {
  comparePayment,
  countLine,
  type LinesOfPayment,
  type OwnPayment,
} from "../../../src/cli/reconcile/compare-payment.ts";
import type { ReportLine } from "../../../src/cli/reconcile/report-line.ts";

const own = {
  id: "pay_1",
  amount: 4999,
  currency: "eur",
  succeeded_at: 100,
  refunded_at: null,
} as const;
const pending: OwnPayment = { ...own, status: "pending", succeeded_at: null };
const failed: OwnPayment = { ...own, status: "failed", succeeded_at: null };
const succeeded: OwnPayment = { ...own, status: "succeeded" };
const refunded: OwnPayment = { ...own, status: "refunded", refunded_at: 200 };

type Line = Partial<ReportLine> & Pick<ReportLine, "type">;
const charge: Line = { type: "charge" };
const refund: Line = { type: "refund" };
const dispute: Line = { type: "dispute" };

function compare(payment: OwnPayment | undefined, lines: Line[], to?: number): string[] {
  const there: LinesOfPayment = {};
  for (const [index, line] of lines.entries()) {
    const { id: _, ...common } = { ...own, payment: "pay_1", created: null, line: index + 2 };
    countLine(there, { ...common, ...line });
  }
  const differences = comparePayment(payment, there, { target: " --mode live", to });
  return differences.map(({ list, reason }) => `${list}: ${reason}`);
}

test.each<[what: string, payment: OwnPayment, lines: Line[]]>([
  ["a charge", succeeded, [charge]],
  ["a charge and its refund, in any order", refunded, [refund, charge]],
  ["a payment that is pending, or failed", pending, []],
  ["a failed payment that the file calls failed", failed, [{ type: "failed" }]],
  ["a failed payment whose money was given back", failed, [charge, refund]],
  ["a dispute that was won", succeeded, [charge, dispute, { type: "dispute_reversal" }]],
  [
    "a refund that failed there, and is none here",
    succeeded,
    [charge, refund, { type: "refund_failure" }],
  ],
  [
    "a dispute of before the file that was won, and a refund that failed",
    succeeded,
    [charge, { type: "dispute_reversal" }, { type: "refund_failure" }],
  ],
])("the books agree about %s", (_, payment, lines) => {
  expect(compare(payment, lines)).toEqual([]);
});

test.each<[what: string, payment: OwnPayment | undefined, lines: Line[], ...differences: string[]]>(
  [
    ["a charge that is not there", succeeded, [], "only_here: no_charge_there"],
    ["a refunded payment that is not there", refunded, [], "only_here: no_charge_there"],
    ["a charge that is not here", undefined, [charge], "only_there: unknown_payment"],
    ["an amount", succeeded, [{ ...charge, amount: 5000 }], "another_amount: other_amount"],
    ["a currency", succeeded, [{ ...charge, currency: "usd" }], "another_amount: other_currency"],
    ["two charges", succeeded, [charge, charge], "another_amount: several_charges"],
    [
      "two charges that are the amount together",
      succeeded,
      [
        { ...charge, amount: 4998 },
        { ...charge, amount: 1 },
      ],
      "another_amount: several_charges",
    ],
    ["two refunds", refunded, [charge, refund, refund], "another_amount: several_refunds"],
    [
      "a part that was refunded there",
      succeeded,
      [charge, { ...refund, amount: 1 }],
      "another_amount: other_refund_amount",
    ],
    [
      "a part that was refunded, of all",
      refunded,
      [charge, { ...refund, amount: 1 }],
      "another_amount: other_refund_amount",
    ],
    ["a refund there", succeeded, [charge, refund], "another_state: refunded_there"],
    ["a refund here", refunded, [charge], "another_state: refunded_here"],
    [
      "a refund that failed there",
      refunded,
      [charge, refund, { type: "refund_failure" }],
      "another_state: refunded_here",
    ],
    ["a dispute", succeeded, [charge, dispute], "another_state: disputed_there"],
    [
      "a dispute of which only a part came back",
      succeeded,
      [charge, dispute, { type: "dispute_reversal", amount: 1000 }],
      "another_state: disputed_there",
    ],
    [
      "a refund of which only a part failed",
      succeeded,
      [charge, refund, { type: "refund_failure", amount: 1 }],
      "another_amount: other_refund_amount",
    ],
    [
      "a charge that failed in another currency",
      succeeded,
      [charge, charge, { type: "charge_failure", currency: "usd" }],
      "another_amount: other_currency",
    ],
    [
      "a failed payment whose money was given back in another currency",
      failed,
      [charge, { ...refund, currency: "usd" }],
      "another_state: charged_there",
    ],
    ["a charge of a failed payment", failed, [charge], "another_state: charged_there"],
    ["a charge of a pending payment", pending, [charge], "another_state: charged_there"],
    [
      "a charge that failed there",
      succeeded,
      [charge, { type: "charge_failure" }],
      "another_state: charge_failed_there",
    ],
    [
      "a payment that the file calls pending",
      succeeded,
      [{ type: "pending" }],
      "another_state: other_status",
    ],
    ["a refund without its charge", refunded, [refund], "only_here: no_charge_there"],
    [
      "an amount and a dispute",
      succeeded,
      [{ ...charge, amount: 1 }, dispute],
      "another_amount: other_amount",
      "another_state: disputed_there",
    ],
  ],
)("the books differ about %s", (_, payment, lines, ...differences) => {
  expect(compare(payment, lines)).toEqual(differences);
});

test("a dispute of which a part came back has the rest as its amount", () => {
  const there: LinesOfPayment = {};
  const { id: _, ...of } = { ...own, payment: "pay_1", created: null, line: 2 };
  countLine(there, { ...of, type: "dispute" });
  countLine(there, { ...of, type: "dispute_reversal", amount: 1000 });
  countLine(there, { ...of, type: "charge" });
  const [found] = comparePayment(succeeded, there, { target: "", to: undefined });
  expect(found?.there).toMatchObject({ type: "dispute", amount: 3999 });
});

test("what happened here after the range need not be there yet, but may", () => {
  expect(compare(refunded, [charge], 200)).toEqual([]);
  expect(compare(refunded, [charge, refund], 200)).toEqual([]);
  expect(compare(refunded, [charge], 201)).toEqual(["another_state: refunded_here"]);
  expect(compare(succeeded, [], 100)).toEqual([]);
  expect(compare(succeeded, [], 101)).toEqual(["only_here: no_charge_there"]);
});
