import { describe, expect, test } from "vitest";
import {
  type Approval,
  type RefundPlan,
  approvePlan,
  planRefunds,
  workThrough,
} from "../../../src/cli/refunds/plan-refunds.ts";
import { parseTotals } from "../../../src/cli/refunds/refund-flags.ts";
import { findIdempotencyKeyMistake } from "../../../src/contract/route.ts";
import { paymentWith } from "../../testkit/api-objects.ts";

const plan: RefundPlan = {
  run: "a",
  payments: [],
  counts: { refundable: 3, already: 1, not_refundable: 0, unknown: 0 },
  totals: new Map([
    ["eur", 10_000],
    ["usd", 500],
  ]),
  alreadyTotals: new Map([
    ["eur", 2_500],
    ["gbp", 100],
  ]),
  twice: 0,
};
const approve = async (expected: string[], max: string[] = [], more: Partial<Approval> = {}) =>
  approvePlan(plan, {
    expected: parseTotals(expected, "--expect-total"),
    max: parseTotals(max, "--max-total"),
    ...more,
  });

describe("a plan of 100.00 EUR and 5.00 USD, with 25.00 EUR and 1.00 GBP refunded already", () => {
  test.each<[expected: string[], max: string[]]>([
    [["100.00EUR", "5.00USD"], []],
    [["125.00EUR", "5.00usd"], []],
    [["110.00 eur", "5.00USD"], []],
    [["100.00EUR"], ["5.00USD"]],
    [[], ["100.00EUR", "9.00USD"]],
    [["100.00EUR", "5.00USD", "1.00GBP"], []],
    [["100.00EUR", "5.00USD", "0.00GBP"], ["100.00EUR"]],
  ])("is approved by the totals %j and at most %j", async (expected, max) => {
    await expect(approve(expected, max)).resolves.toBeUndefined();
  });

  test.each<[expected: string[], max: string[], message: string]>([
    [
      ["99.99EUR", "5.00USD"],
      [],
      "--expect-total is 99.99 EUR, but the file has 100.00 EUR to refund, and 25.00 EUR are refunded already.",
    ],
    [["125.01EUR", "5.00USD"], [], "--expect-total is 125.01 EUR"],
    [
      ["100.00EUR", "5.01USD"],
      [],
      "--expect-total is 5.01 USD, but the file has 5.00 USD to refund.",
    ],
    [["100.00EUR", "5.00USD", "1.01GBP"], [], "--expect-total is 1.01 GBP"],
    [
      [],
      ["99.99EUR", "5.00USD"],
      "--max-total is 99.99 EUR, but the file has 100.00 EUR to refund.",
    ],
    [["100.00EUR"], ["99.00EUR", "5.00USD"], "--max-total is 99.00 EUR"],
    [
      ["100.00EUR"],
      [],
      "The file has 5.00 USD to refund, which neither --expect-total nor --max-total names.",
    ],
    [[], [], "The file has 100.00 EUR to refund"],
  ])("is refused by the totals %j and at most %j", async (expected, max, message) => {
    const refused = { exitCode: 2, message: expect.stringContaining(message) as unknown };
    await expect(approve(expected, max)).rejects.toMatchObject(refused);
  });

  test("is confirmed by a person, unless a total that was given does not fit", async () => {
    let asked = 0;
    const confirm = async () => void asked++;
    await approve([], [], { confirm });
    await approve(["100.00EUR"], [], { confirm });
    expect(asked).toBe(2);
    await expect(approve(["99.00EUR"], [], { confirm })).rejects.toThrow("99.00 EUR");
    await expect(approve([], ["99.00EUR"], { confirm })).rejects.toThrow("99.00 EUR");
    expect(asked).toBe(2);
  });
});

test.each([
  "1234EUR",
  "12.5EUR",
  "12.345EUR",
  "-1.00EUR",
  "1.00",
  "EUR1.00",
  "1,234.00EUR",
  "",
  "1.00EURO",
  "99999999999999999.00EUR",
])("a total of %j is refused, with its form", (text) => {
  expect(() => parseTotals([text], "--max-total")).toThrow("1234.00EUR");
});

test("a currency is named once", () => {
  expect(() => parseTotals(["1.00EUR", "2.00eur"], "--max-total")).toThrow("twice");
});

const retrieve = async (id: string) => paymentWith({ id });
const retrieveHuge = async (id: string) => paymentWith({ id, amount: Number.MAX_SAFE_INTEGER });
const options = { run: undefined, signal: new AbortController().signal, onProgress: () => {} };

test("a sum that JSON could not carry is refused", async () => {
  const planning = planRefunds(
    { retrieve: retrieveHuge },
    { ids: ["pay_1", "pay_2"], twice: 0 },
    options,
  );
  await expect(planning).rejects.toMatchObject({ exitCode: 2 });
});

const nameOf = async (...ids: string[]) =>
  (await planRefunds({ retrieve }, { ids, twice: 0 }, options)).run;

test("the same payments make the same run, whose keys are never taken for card numbers", async () => {
  const names = new Set<string>();
  for (let at = 0; at < 500; at++) {
    const id = `pay_${crypto.randomUUID()}`;
    const run = await nameOf(id);
    names.add(run);
    expect(findIdempotencyKeyMistake(`${run}:${id}`)).toBeUndefined();
  }
  expect(names.size).toBe(500);
  expect(await nameOf("pay_1", "pay_2")).toBe(await nameOf("pay_1", "pay_2"));
  expect(await nameOf("pay_1", "pay_2")).not.toBe(await nameOf("pay_1"));
});

test("no piece of work begins after one has failed, and what has begun is waited for", async () => {
  const begun: number[] = [];
  let ended = 0;
  const working = workThrough(100, 4, async (at) => {
    begun.push(at);
    await new Promise(setImmediate);
    if (at === 5) throw new Error("no");
    await new Promise(setImmediate);
    ended++;
  });
  await expect(working).rejects.toThrow("no");
  expect(begun.length).toBeLessThan(12);
  expect(ended).toBe(begun.length - 1);
});
