import { describe, expect, test } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import { createNewestPayments } from "../../../src/cli/prompts/newest-payments.ts";
import { paymentWith } from "../../testkit/api-objects.ts";
import { createPages } from "../../testkit/command/scripted-prompter.ts";

const ada = paymentWith({
  id: "pay_0199c5a8-7f3e-7abc-9def-0123456789ab",
  amount: 4999,
  customer: { email: "ada@Example.com", name: "Ada Lovelace" },
  description: "Two books, é",
});

async function findBy(typed: string, payment: Payment = ada): Promise<boolean> {
  const { payments } = await createNewestPayments(createPages([payment]).pages()).find(typed, 10);
  return payments.length > 0;
}

describe("a payment is found by", () => {
  test.each([
    "",
    "pay_0199c5a8-7f3e-7abc-9def-0123456789ab",
    "9def",
    "ADA@example",
    "lovelace",
    "two BOOKS",
    "books ada 49.99",
    "  eur   4999 ",
    "49.99",
    "E\u0301",
  ])("%j", async (typed) => {
    expect(await findBy(typed)).toBe(true);
  });

  test.each([
    ["Zoë Müller", ["mull", "muell", "zoe mue", "MÜL"]],
    ["Seán O’Brien-Weiß", ["o'brien", "O`Bri", "sean", "weiss", "brien & weiß"]],
    ["Smith & Sons", ["smith & sons", "Smith – sons", "&"]],
  ])("%s by what people type: %j", async (name, all) => {
    const payment = { ...ada, customer: { email: "", name } };
    for (const typed of all) expect([typed, await findBy(typed, payment)]).toEqual([typed, true]);
    expect(await findBy("moller", payment)).toBe(false);
  });

  test.each(["bob", "ada bob", "50.00", "4242", "visa", "com lovelace,"])(
    "no part of %j",
    async (typed) => {
      expect(await findBy(typed)).toBe(false);
    },
  );

  test("its other texts if one is empty", async () => {
    const bare = paymentWith({ description: null, customer: { email: "", name: "" }, amount: 5 });
    expect(await findBy("0.05", bare)).toBe(true);
    expect(await findBy("null", bare)).toBe(false);
  });
});

function numbered(count: number): Payment[] {
  return Array.from({ length: count }, (_, at) =>
    paymentWith({ id: `pay_${at}`, customer: { email: `c${at}@example.com`, name: "" } }),
  );
}

describe("pages are loaded", () => {
  test("only while too few match", async () => {
    const source = createPages(numbered(350));
    const recent = createNewestPayments(source.pages());
    expect((await recent.find("", 10)).payments).toHaveLength(100);
    expect(source.loaded()).toBe(1);
    expect((await recent.find("c15", 10)).payments).toHaveLength(11);
    expect(source.loaded()).toBe(2);
    expect((await recent.find("c349@", 10)).payments).toHaveLength(1);
    expect(source.loaded()).toBe(4);
    await recent.find("nothing like it", 10);
    expect(source.loaded()).toBe(4);
  });

  test("up to 1,000 payments, and the result says that there are older ones", async () => {
    const source = createPages(numbered(1_200));
    const recent = createNewestPayments(source.pages());
    expect(await recent.find("nothing like it", 10)).toEqual({
      payments: [],
      searched: 1_000,
      hasOlder: true,
    });
    expect(source.loaded()).toBe(10);
  });

  test("once for two concurrent searches", async () => {
    const source = createPages(numbered(100));
    const recent = createNewestPayments(source.pages());
    await Promise.all([recent.find("a", 10), recent.find("ab", 10)]);
    expect(source.loaded()).toBe(1);
  });

  test("no more once the search is aborted", async () => {
    const source = createPages(numbered(1_000));
    const recent = createNewestPayments(source.pages());
    const waiting = new AbortController();
    const matches = recent.find("nothing like it", 10, waiting.signal);
    waiting.abort();
    expect((await matches).payments).toEqual([]);
    expect(source.loaded()).toBe(1);
  });

  test("not at all if the loaded payments suffice", async () => {
    const source = createPages(numbered(100));
    await createNewestPayments(source.pages()).find("pay_1", 0);
    expect(source.loaded()).toBe(0);
  });
});
