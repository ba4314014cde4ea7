import { Chalk } from "chalk";
import * as fc from "fast-check";
import stringWidth from "string-width";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { formatPayments, formatPayment } from "../../../src/cli/output/payment-text.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import { paymentWith } from "../../testkit/client/scripted-server.ts";

const plain = new Chalk({ level: 0 });
const hostile = "\u001B[2J\u202Eevil";

beforeEach(() => {
  vi.stubEnv("TZ", "UTC");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

describe("one payment", () => {
  test("shows what there is, and nothing that there is not", () => {
    expect(formatPayment(paymentWith({ id: "pay_1" }), plain)).toBe(
      [
        "Payment    pay_1",
        "Status     succeeded",
        "Amount     49.99 EUR",
        "Mode       test",
        "Card       visa •••• 4242, expires 12/2031, US",
        "Created    2026-11-15 12:00:00",
        "Succeeded  2026-11-15 12:00:00",
      ].join("\n"),
    );
  });

  test("shows no country of a card whose network tells none", () => {
    const { card } = paymentWith();
    const payment = paymentWith({ card: card && { ...card, country: "ZZ" } });
    expect(formatPayment(payment, plain)).toContain("visa •••• 4242, expires 12/2031\n");
  });

  test("shows all that a payment can have", () => {
    const payment = paymentWith({
      id: "pay_1",
      status: "failed",
      livemode: true,
      decline_code: "expired_card",
      decline_message: "The card has expired.",
      card: null,
      customer: { email: "ada@example.com", name: "Ada Lovelace" },
      description: "A book",
      metadata: { order_id: "1001", shop: "north" },
      redirect_url: "https://payments.example.com/pay/token",
      succeeded_at: null,
      failed_at: 1_794_744_001,
      refunded_at: 1_794_744_002,
    });
    expect(formatPayment(payment, plain)).toBe(
      [
        "Payment      pay_1",
        "Status       failed",
        "Amount       49.99 EUR",
        "Mode         live",
        "Declined     expired_card",
        "Reason       The card has expired.",
        "Customer     Ada Lovelace, ada@example.com",
        "Description  A book",
        "Metadata     order_id=1001, shop=north",
        "Page         https://payments.example.com/pay/token",
        "Created      2026-11-15 12:00:00",
        "Failed       2026-11-15 12:00:01",
        "Refunded     2026-11-15 12:00:02",
      ].join("\n"),
    );
  });

  test("lets nothing that a service sends steer the terminal", () => {
    const payment = paymentWith({
      description: hostile,
      decline_code: hostile,
      decline_message: hostile,
      currency: hostile,
      card: { brand: hostile, last4: hostile, exp_month: 1, exp_year: 2030, country: hostile },
      customer: { email: hostile, name: hostile },
      metadata: { [hostile]: hostile },
      redirect_url: hostile,
    });
    for (const line of formatPayment(payment, plain).split("\n")) {
      expect(line).not.toMatch(/[\p{Cc}\u202E]/u);
    }
  });

  test("has its status in colour where colour is wanted", () => {
    const coloured = new Chalk({ level: 1 });
    expect(formatPayment(paymentWith(), coloured)).toContain("\u001B[32msucceeded\u001B[39m");
  });
});

describe("a table of payments", () => {
  test("has a line for each, in the order given, with amounts to the right", () => {
    const payments = [
      paymentWith({ id: "pay_2", amount: 100, currency: "usd", description: "A book" }),
      paymentWith({ id: "pay_1", customer: { email: "ada@example.com", name: "Ada" } }),
    ];
    expect(formatPayments(payments, { style: plain })).toBe(
      [
        "ID     STATUS        AMOUNT  CREATED              CARD       CUSTOMER         DESCRIPTION",
        "pay_2  succeeded   1.00 USD  2026-11-15 12:00:00  visa 4242                   A book",
        "pay_1  succeeded  49.99 EUR  2026-11-15 12:00:00  visa 4242  ada@example.com",
      ].join("\n"),
    );
  });

  test("shows why a payment was declined, and a name where there is no e-mail address", () => {
    const failed = paymentWith({
      status: "failed",
      card: null,
      customer: { email: "", name: "Ada Lovelace" },
      description: "A book",
      decline_code: "generic_decline",
    });
    const [, line] = formatPayments([failed], { style: plain }).split("\n");
    expect(line).toMatch(/failed \(generic_decline\) +49\.99 EUR .* Ada Lovelace +A book$/);
  });

  test("keeps long texts whole", () => {
    const [, line] = formatPayments([paymentWith({ description: "😀".repeat(300) })], {
      style: plain,
    }).split("\n");
    expect(line?.endsWith(`  ${"😀".repeat(300)}`)).toBe(true);
  });

  test("has the fields that were asked for, for a person to read", () => {
    const payment = paymentWith({ metadata: { order: "1001" }, refunded_at: null });
    const fields = ["amount", "status", "created", "card.last4", "metadata", "refunded_at", "id"];
    expect(formatPayments([payment], { style: plain, fields })).toBe(
      [
        "   AMOUNT  STATUS     CREATED              CARD.LAST4  METADATA          REFUNDED_AT  ID",
        `49.99 EUR  succeeded  2026-11-15 12:00:00  4242        {"order":"1001"}               ${payment.id}`,
      ].join("\n"),
    );
    expect(formatPayment(payment, plain, ["amount", "card.last4"])).toBe(
      "amount      49.99 EUR\ncard.last4  4242",
    );
  });

  test("keeps to one line for each payment, whatever a service sends", () => {
    const payment = paymentWith({
      description: `a\nb${hostile}`,
      customer: { email: hostile, name: "" },
      card: { brand: hostile, last4: "\n\n", exp_month: 1, exp_year: 2030, country: "US" },
      metadata: { [hostile]: hostile },
    });
    for (const fields of [undefined, ["description", `metadata.${hostile}`, "metadata", "card"]]) {
      const lines = formatPayments([payment], { style: plain, fields }).split("\n");
      expect(lines).toHaveLength(2);
      expect(lines.join("")).not.toMatch(/[\p{Cc}]/u);
    }
  });
});

describe("a table of payments in a terminal", () => {
  const now = 1_794_744_000;
  const payments = [
    paymentWith({ id: id(1), customer: { email: "", name: "東京花子" }, created: now - 125 }),
    paymentWith({
      id: id(2),
      status: "failed",
      decline_code: "insufficient_funds",
      customer: { email: "grace.hopper@a-rather-long-domain.example.com", name: "" },
      description: "A book about 東京, 大阪 and 京都, bound in linen",
      created: now - 86_400,
    }),
    paymentWith({ id: id(3), status: "pending", card: null, amount: 1500, currency: "jpy" }),
  ];
  beforeEach(() => {
    vi.useFakeTimers({ now: now * 1000, toFake: ["Date"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("has one line for each, its longer texts shortened to what room there is", () => {
    expect(formatPayments(payments, { style: plain, width: 120 })).toBe(
      [
        "ID                                        STATUS            AMOUNT  CREATED     CARD       CUSTOMER       DESCRIPTION",
        `${id(1)}  succeeded      49.99 EUR  2m ago      visa 4242  東京花子`,
        `${id(2)}  failed insuf…  49.99 EUR  2026-11-14  visa 4242  grace.hopper…  A book about …`,
        `${id(3)}  pending         1500 JPY  0s ago`,
      ].join("\n"),
    );
  });

  test("leaves out the last columns where it is narrow, and never a part of an id", () => {
    const heads = [100, 80, 60, 45, 20].map((width) =>
      formatPayments(payments, { style: plain, width }).split("\n")[0]?.split(/ +/),
    );
    expect(heads).toEqual([
      ["ID", "STATUS", "AMOUNT", "CREATED", "CARD", "CUSTOMER"],
      ["ID", "STATUS", "AMOUNT", "CREATED"],
      ["ID", "STATUS"],
      ["ID"],
      ["ID"],
    ]);
    for (const width of [100, 20]) {
      expect(formatPayments(payments, { style: plain, width })).toContain(id(2));
    }
  });

  test("colours a status that is shortened, and nothing beside it", () => {
    const style = new Chalk({ level: 1 });
    const [, , line] = formatPayments(payments, { style, width: 80 }).split("\n");
    expect(line).toContain("  \u001B[31mfailed insuffi…\u001B[39m  ");
  });

  test("has no line that is wider than the terminal, whatever a service sends", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 40 });
    const payment: fc.Arbitrary<Payment> = fc
      .record({
        amount: fc.nat(),
        currency: fc.constantFrom("eur", "jpy", "kwd"),
        decline_code: fc.option(text),
        description: fc.option(text),
        customer: fc.record({ email: text, name: text }),
        card: fc.option(
          fc.record({
            brand: text,
            last4: text,
            exp_month: fc.constant(12),
            exp_year: fc.constant(2031),
            country: text,
          }),
        ),
        created: fc.nat({ max: 2 * now }),
      })
      .map((fields) => paymentWith({ ...fields, id: id(1) }));
    fc.assert(
      fc.property(
        fc.array(payment, { maxLength: 4 }),
        fc.integer({ min: 40, max: 200 }),
        (some, width) => {
          const lines = formatPayments(some, { style: plain, width }).split("\n");
          expect(lines).toHaveLength(some.length + 1);
          for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
          for (const line of lines.slice(1)) expect(line.startsWith(id(1))).toBe(true);
        },
      ),
    );
  });
});

function id(digit: number): string {
  return `pay_0199c5a8-7f3e-7abc-9def-01234567890${digit}`;
}
