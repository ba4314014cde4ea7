import { describe, expect, test } from "vitest";
import { computeOverview, findLastDays } from "../../../src/service/reports/get-overview.ts";
import { computeSuccessRate, type Total } from "../../../src/service/reports/sum-figures.ts";

const nowMs = Date.UTC(2026, 10, 22, 15, 30);
const lastDays = findLastDays(nowMs);
const { firstDay } = lastDays;
const today = firstDay + 29;
const until = nowMs / 1000;

function total(fields: Partial<Total>): Total {
  return {
    day: today,
    currency: "eur",
    status: "succeeded",
    code: "",
    payments: 1,
    amount: 100,
    ...fields,
  };
}

const overview = (totals: Total[], currency?: string) =>
  computeOverview(totals, { days: lastDays, until, currency });

describe("the days of an overview", () => {
  test("are the last thirty in UTC, also those without payments", () => {
    const { days, currency, currencies, totals, before, declines } = overview([]);
    expect(days.map(({ day }) => day)).toHaveLength(30);
    expect([days[0]?.day, days.at(-1)?.day]).toEqual(["2026-10-24", "2026-11-22"]);
    expect(totals).toEqual({
      payments: 0,
      succeeded: 0,
      failed: 0,
      unpaid: 0,
      pending: 0,
      volume: 0,
      refunded: 0,
      refundedVolume: 0,
    });
    expect({ currency, currencies, before, declines }).toEqual({
      currency: null,
      currencies: [],
      before: totals,
      declines: [],
    });
  });

  test("begin at midnight", () => {
    const midnightMs = Date.UTC(2026, 10, 22);
    expect(findLastDays(midnightMs).firstDay - findLastDays(midnightMs - 1).firstDay).toBe(1);
  });

  test("have the payments that were created on them", () => {
    const { days, totals } = overview([
      total({ payments: 3, amount: 300 }),
      total({ day: today - 1, status: "refunded", payments: 2, amount: 50 }),
      total({ day: today - 1, status: "pending", amount: 7 }),
      total({ day: firstDay, status: "failed", code: "hpp_expired", amount: 9 }),
      total({ day: firstDay, status: "failed", code: "expired_card", payments: 4, amount: 9 }),
    ]);
    const none = { ...overview([]).totals };
    expect(days.at(-1)).toEqual({
      ...none,
      day: "2026-11-22",
      payments: 3,
      succeeded: 3,
      volume: 300,
    });
    expect(days.at(-2)).toEqual({
      ...none,
      day: "2026-11-21",
      payments: 3,
      succeeded: 2,
      volume: 50,
      refunded: 2,
      refundedVolume: 50,
      pending: 1,
    });
    expect(days[0]).toEqual({ ...none, day: "2026-10-24", payments: 5, failed: 5, unpaid: 1 });
    expect(totals).toEqual({
      payments: 11,
      succeeded: 5,
      failed: 5,
      unpaid: 1,
      pending: 1,
      volume: 350,
      refunded: 2,
      refundedVolume: 50,
    });
  });
});

test("the days before are as many, and count for no figure or currency of the period", () => {
  const older = { day: firstDay - 1, payments: 9, amount: 900 };
  const { before, days, totals, currency, currencies, declines } = overview([
    total({ payments: 2 }),
    total(older),
    total({ ...older, day: firstDay - 30, status: "failed", code: "expired_card" }),
    total({ ...older, currency: "usd" }),
  ]);
  expect(before).toMatchObject({ payments: 18, succeeded: 9, failed: 9, volume: 900 });
  expect({ currency, currencies, declines }).toEqual({
    currency: "eur",
    currencies: ["eur"],
    declines: [],
  });
  expect([days.length, totals.payments]).toEqual([30, 2]);
});

const rateOf = (totals: Total[]) => computeSuccessRate(overview(totals).totals);

test("the success rate counts refunds as successes, and leaves out unpaid and undecided payments", () => {
  const totals = [
    total({ payments: 2 }),
    total({ status: "refunded" }),
    total({ status: "failed", code: "insufficient_funds" }),
    total({ status: "failed", code: "hpp_expired", payments: 50 }),
    total({ status: "failed", code: "customer_canceled", payments: 50 }),
    total({ status: "pending", payments: 50 }),
  ];
  expect(rateOf(totals)).toBe(0.75);
  expect(rateOf(totals.slice(2))).toBe(0);
  expect(rateOf(totals.slice(3))).toBeNull();
});

test("declines are counted by their reason, the most frequent one first", () => {
  const failed = (code: string, payments: number) => total({ status: "failed", code, payments });
  const { declines } = overview([
    failed("expired_card", 1),
    failed("insufficient_funds", 2),
    { ...failed("insufficient_funds", 3), day: firstDay },
    failed("generic_decline", 1),
    failed("processing_error", 0),
    failed("hpp_expired", 9),
    total({ payments: 9 }),
  ]);
  expect(declines).toEqual([
    { code: "insufficient_funds", count: 5 },
    { code: "expired_card", count: 1 },
    { code: "generic_decline", count: 1 },
  ]);
});

describe("the currency", () => {
  const totals = [
    total({ currency: "gbp", payments: 2 }),
    total({ currency: "usd", payments: 2 }),
    total({ currency: "usd", day: firstDay }),
    total({ currency: "eur", payments: 2, amount: 5 }),
    total({ currency: "chf", payments: 0 }),
  ];

  test("is the one with most payments, and the others follow", () => {
    expect(overview(totals)).toMatchObject({
      currency: "usd",
      currencies: ["usd", "eur", "gbp"],
      totals: { payments: 3 },
    });
  });

  test("is the requested one, where it has payments", () => {
    expect(overview(totals, "eur")).toMatchObject({ currency: "eur", totals: { volume: 5 } });
    expect(overview(totals, "chf").currency).toBe("usd");
  });
});
