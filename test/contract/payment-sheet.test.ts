import { parse } from "csv-parse/sync";
import { describe, expect, test } from "vitest";
import { createKeyCount, createPaymentSheet } from "../../src/contract/payment-sheet.ts";
import type { Payment } from "../../src/contract/payment.ts";
import { paymentWith } from "../testkit/api-objects.ts";

const times = {
  zone: "UTC",
  format: (seconds: number) =>
    new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " "),
};

/** The rows that a spreadsheet reads, by their headings. */
function readSheet(payments: Payment[], counted = payments): Record<string, string>[] {
  const keys = createKeyCount();
  keys.add(counted);
  const { opening, toLine } = createPaymentSheet(keys.list(), times);
  expect(opening.startsWith("\uFEFFid,amount,currency,status,")).toBe(true);
  return parse(opening + payments.map(toLine).join(""), { bom: true, columns: true });
}

const withKeys = (...keys: string[]) =>
  paymentWith({ metadata: Object.fromEntries(keys.map((key) => [key, `of ${key}`])) });

describe("a sheet of payments", () => {
  test("has amounts as numbers beside their currency, and times in the zone of the heading", () => {
    const created = Date.UTC(2026, 10, 29, 7, 12, 33) / 1000;
    const [row] = readSheet([
      paymentWith({ amount: 4999, currency: "eur", created, succeeded_at: created + 1 }),
    ]);
    expect(row).toMatchObject({
      amount: "49.99",
      currency: "eur",
      "created (UTC)": "2026-11-29 07:12:33",
      "succeeded_at (UTC)": "2026-11-29 07:12:34",
      "refunded_at (UTC)": "",
      livemode: "false",
      metadata: "",
    });
    const [small, large] = readSheet([
      paymentWith({ amount: 7 }),
      paymentWith({ amount: 9_007_199_254_740_991 }),
    ]);
    expect([small?.["amount"], large?.["amount"]]).toEqual(["0.07", "90071992547409.91"]);
  });

  test("has a column for each metadata key, whatever its characters", () => {
    const keys = ["order.id", "a,b", 'q"uote', "li\nne", "__proto__", "über"];
    const [row] = readSheet([withKeys(...keys)]);
    for (const key of keys) expect(row?.[`metadata.${key}`]).toBe(`of ${key}`);
  });

  test("neutralises formulas, in headings too", () => {
    const metadata = { "a;=1+1": "=SUM(A1)" };
    const payment = paymentWith({
      customer: { email: "", name: '=HYPERLINK("http://x")' },
      description: "+49",
      metadata,
    });
    const [row] = readSheet([payment]);
    expect(row).toMatchObject({
      "customer.name": `'=HYPERLINK("http://x")`,
      description: "'+49",
      "metadata.a;'=1+1": "'=SUM(A1)",
    });
  });

  test("has columns for the 200 most frequent keys, and all others as JSON in the last one", () => {
    const rare = Array.from({ length: 300 }, (_, at) => `rare ${at}`);
    const frequent = Array.from({ length: 10 }, (_, at) => `often ${at}`);
    const payments = [
      ...rare.map((key) => withKeys(key)),
      withKeys(...frequent),
      withKeys(...frequent),
    ];
    const late = withKeys("late", "often 3");
    const rows = readSheet([...payments, late], payments);
    const columns = Object.keys(rows[0] ?? {}).filter((name) => name.startsWith("metadata."));
    expect(columns).toHaveLength(200);
    expect(columns.slice(0, 10)).toEqual(frequent.map((key) => `metadata.${key}`));
    expect(Object.keys(rows[0] ?? {}).at(-1)).toBe("metadata");
    expect(rows.at(-1)).toMatchObject({
      "metadata.often 3": "of often 3",
      metadata: '{"late":"of late"}',
    });
    // Nothing is lost: each key has its column, or stands in the last.
    for (const [at, payment] of payments.entries()) {
      const { metadata: others = "", ...row } = rows[at] ?? {};
      const found = Object.entries(row).flatMap(([name, value]) =>
        name.startsWith("metadata.") && value !== "" ? [[name.slice(9), value]] : [],
      );
      const rest = others === "" ? {} : (JSON.parse(others) as object);
      expect({ ...Object.fromEntries(found), ...rest }).toEqual(payment.metadata);
    }
  });

  test("counts keys in little memory, however many there are, and keeps the frequent ones", () => {
    const keys = createKeyCount();
    for (let at = 0; at < 3_000; at++) {
      const unique = Array.from({ length: 49 }, (_, i) => `once ${at} ${i}`);
      keys.add([withKeys("order", ...unique)]);
    }
    expect(keys.list()).toHaveLength(200);
    expect(keys.list()[0]).toBe("order");
  });
});
