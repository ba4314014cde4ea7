import { Chalk } from "chalk";
import { describe, expect, test } from "vitest";
import { formatResponse, formatFailure, formatRequest } from "../../../src/cli/config/connect.ts";

const plain = new Chalk({ level: 0 });
const key = `svc_live_sk_${"A".repeat(43)}`;

const answer = (body: object) => ({ status: 200, headers: {}, body: JSON.stringify(body) });

describe("the traffic shown by --debug", () => {
  test("shows the request and its headers, the key masked", () => {
    expect(
      formatRequest(
        {
          method: "GET",
          url: "https://payments.example.com/v1/payments?limit=1",
          headers: { authorization: `Bearer ${key}`, "idempotency-key": "order-1" },
        },
        plain,
      ),
    ).toBe(
      [
        "> GET https://payments.example.com/v1/payments?limit=1",
        "> authorization: Bearer svc_live_sk_…",
        "> idempotency-key: order-1",
      ].join("\n"),
    );
  });

  test("shows a body without card number and security code", () => {
    const card = { number: "4242424242424242", exp_month: 12, exp_year: 2030, cvc: "987" };
    const text = formatRequest(
      { method: "POST", url: "embedded:/v1/payments", headers: {}, body: JSON.stringify({ card }) },
      plain,
    );
    expect(text).toContain("> POST embedded:/v1/payments");
    expect(text).toContain('"number":"…4242"');
    expect(text).not.toMatch(/424242424242|987/);
  });

  test("shows nothing of the form of a payment page", () => {
    const body = "number=4242424242424242&cvc=987";
    const text = formatRequest({ method: "POST", url: "/pay/x", headers: {}, body }, plain);
    expect(text).toBe("> POST /pay/x\n> …");
  });

  test("shows a response with its status and duration", () => {
    const page = { status: 404, headers: { "content-type": "text/html" }, body: "<h1>no</h1>" };
    expect(formatResponse(page, 12.4, plain)).toBe(
      "< 404 after 12 ms\n< content-type: text/html\n< <h1>no</h1>",
    );
    expect(formatFailure(new Error("socket closed"), 3.6, plain)).toBe(
      "< no answer after 4 ms: socket closed",
    );
  });

  test("masks each text and number of a response by itself, and leaves ordinary ones", () => {
    const seen = { description: "52.520008, 13.404954", metadata: { a: "4242", b: "4242" } };
    const next = {
      c: "4242",
      d: "4242",
      created: 1767225600000,
      iban: "DE95 4242 4242 4242 4242 42",
    };
    const secret = { name: "4242/4242/4242/4242", amount: 4242424242424242 };
    const ordinary = { data: [{ ...seen, ...next }] };
    expect(formatResponse(answer(ordinary), 1, plain)).toBe(
      `< 200 after 1 ms\n< ${JSON.stringify(ordinary)}`,
    );
    expect(formatResponse(answer({ data: [secret] }), 1, plain)).toBe(
      '< 200 after 1 ms\n< {"data":[{"name":"…","amount":"…"}]}',
    );
  });

  test("removes control characters and secrets from a response, and cuts a huge one", () => {
    const body = `\u001B[2J${key} 4242 4242 4242 4242`.padEnd(1_000_000, "x");
    const text = formatResponse({ status: 200, headers: { "x-\u001B": "\u0007" }, body }, 1, plain);
    expect(text.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
    expect(text).not.toMatch(/AAAA|4242/);
    expect(text.length).toBeLessThan(30_000);
  });
});
