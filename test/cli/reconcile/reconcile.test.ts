import * as fc from "fast-check";
import { expect, test } from "vitest";
import { listNames, type Difference } from "../../../src/cli/reconcile/compare-payment.ts";
import {
  reconcile,
  type Range,
  type Reconciliation,
} from "../../../src/cli/reconcile/reconcile.ts";
import type { ReportLine } from "../../../src/cli/reconcile/report-line.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import { paymentWith } from "../../testkit/api-objects.ts";

type Outcome = Pick<Reconciliation, "lists" | "lines" | "passedOver"> & {
  differences: Difference[];
};

async function compare(payments: Payment[], lines: ReportLine[], range: Range = {}) {
  const { signal } = new AbortController();
  const sides = {
    payments: pagesOf(payments),
    lines: each(lines),
    range,
    livemode: true,
    target: " --mode live",
    signal,
    onProgress: () => {},
  };
  return await reconcile(
    sides,
    async ({ lists, lines: read, passedOver, listDifferences }): Promise<Outcome> => {
      const differences: Difference[] = [];
      for (const name of listNames) differences.push(...listDifferences(name));
      return { lists, lines: read, passedOver, differences };
    },
  );
}

async function* pagesOf<T>(items: T[], size = 3): AsyncGenerator<T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}

async function* each<T>(items: T[]): AsyncGenerator<T> {
  yield* items;
}

const lineWith = (fields: Partial<ReportLine>): ReportLine => ({
  payment: "",
  type: "charge",
  amount: 4999,
  currency: "eur",
  created: null,
  line: 2,
  ...fields,
});

/** The differences that may be between a payment and the bank's lines about it, and what is to be found then. */
const plants = {
  none: [],
  missing: ["only_here no_charge_there"],
  unknown: ["only_there unknown_payment"],
  amount: ["another_amount other_amount"],
  currency: ["another_amount other_currency"],
  twice: ["another_amount several_charges"],
  refunded: ["another_state refunded_there"],
  disputed: ["another_state disputed_there"],
} as const;

function plant(
  kind: keyof typeof plants,
  id: string,
  amount: number,
  currency: string,
): ReportLine[] {
  const charge = lineWith({ payment: id, amount, currency });
  switch (kind) {
    case "none":
    case "unknown":
      return [charge];
    case "missing":
      return [];
    case "amount":
      return [{ ...charge, amount: amount + 1 }];
    case "currency":
      return [{ ...charge, currency: "chf" }];
    case "twice":
      return [charge, charge];
    case "refunded":
      return [charge, { ...charge, type: "refund" }];
    case "disputed":
      return [charge, { ...charge, type: "dispute" }];
    default:
      return kind satisfies never;
  }
}

function inOrder<T>(items: [order: number, item: T][]): T[] {
  return items.toSorted(([one], [other]) => one - other).map(([, item]) => item);
}

test("exactly the planted differences are found, in any order of both sides", async () => {
  const planted = fc.record({
    kind: fc.constantFrom(...(Object.keys(plants) as (keyof typeof plants)[])),
    amount: fc.integer({ min: 1, max: 2 ** 53 - 2 }),
    currency: fc.constantFrom("eur", "usd", "gbp"),
    order: fc.integer(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(planted, { maxLength: 30 }), async (books) => {
      const payments: [order: number, payment: Payment][] = [];
      const lines: [order: number, line: ReportLine][] = [];
      const expected: string[] = [];
      for (const [index, { kind, amount, currency, order }] of books.entries()) {
        const id = `pay_${index}`;
        if (kind !== "unknown") payments.push([order, paymentWith({ id, amount, currency })]);
        for (const line of plant(kind, id, amount, currency))
          lines.push([order ^ lines.length, line]);
        expected.push(...plants[kind].map((found) => `${found} ${id}`));
      }
      const { differences, lists } = await compare(inOrder(payments), inOrder(lines));
      const found = differences.map(({ list, reason, payment }) => `${list} ${reason} ${payment}`);
      expect(found.toSorted()).toEqual(expected.toSorted());
      const counts = Object.values(lists).reduce((sum, { count }) => sum + count, 0);
      expect(counts).toBe(expected.length);
    }),
    { numRuns: 30 },
  );
});

test("the sums of a list are exact, and each currency has its own", async () => {
  const amount = Number.MAX_SAFE_INTEGER;
  const payments = ["eur", "eur", "usd"].map((currency, index) =>
    paymentWith({ id: `pay_${index}`, amount, currency }),
  );
  const { lists } = await compare(payments, []);
  expect(lists.only_here).toEqual({
    count: 3,
    totals: [
      { currency: "eur", count: 2, here: 2n * BigInt(amount), there: 0n },
      { currency: "usd", count: 1, here: BigInt(amount), there: 0n },
    ],
  });
});

test("lines without a payment's id are each a difference, those of other kinds are counted", async () => {
  const lines = [lineWith({}), lineWith({ line: 3 }), lineWith({ type: "other" })];
  const { differences, passedOver } = await compare([], lines);
  expect(differences.map(({ reason, there }) => [reason, there?.line])).toEqual([
    ["no_payment_id", 2],
    ["no_payment_id", 3],
  ]);
  expect(passedOver).toEqual({ other: 1, outOfRange: 0 });
});

test("a card number or an API key in the place of a payment's id is masked, another number is not", async () => {
  const ids = ["4242 4242 4242 4242", "order-202611010001", "svc_live_sk_0123456789abcdef"];
  const { differences } = await compare(
    [],
    ids.map((payment, index) => lineWith({ payment, line: index + 2 })),
  );
  expect(differences.map(({ payment }) => payment)).toEqual([
    "…",
    "order-202611010001",
    "svc_live_sk_…",
  ]);
});

test("a row of the file that is a charge and a refund is counted once", async () => {
  const row = [lineWith({ payment: "order-7", created: 1 })];
  row.push({ ...row[0]!, type: "refund" });
  const { lines, passedOver } = await compare([], row, { from: 2 });
  expect([lines, passedOver.outOfRange]).toEqual([1, 1]);
});

const november = { from: Date.UTC(2026, 10, 1) / 1000, to: Date.UTC(2026, 11, 1) / 1000 };
const idOf = (ms: number) => {
  const hex = ms.toString(16).padStart(12, "0");
  return `pay_${hex.slice(0, 8)}-${hex.slice(8)}-7abc-9def-0123456789ab`;
};

test("a payment's id decides whether it is of the range, whatever day the bank has", async () => {
  const [first, last, next] = [
    idOf(november.from * 1000),
    idOf(november.to * 1000 - 1),
    idOf(november.to * 1000),
  ];
  const inDecember = november.to + 3_600;
  const lines = [
    lineWith({ payment: first }),
    lineWith({ payment: last, created: inDecember }),
    lineWith({ payment: next, created: november.to - 1 }),
    lineWith({ payment: idOf(november.from * 1000 - 1), created: november.from }),
    lineWith({ payment: "order-7", created: inDecember }),
    lineWith({ payment: "", created: inDecember }),
  ];
  const { differences, passedOver } = await compare([paymentWith({ id: last })], lines, november);
  expect(differences.map(({ payment }) => payment)).toEqual([first]);
  expect(passedOver).toEqual({ other: 0, outOfRange: 4 });
});
