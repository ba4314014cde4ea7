import { Chalk } from "chalk";
import { describe, expect, test } from "vitest";
import { formatLocalTime } from "../../../src/cli/output/style.ts";
import {
  formatDelivery,
  formatEventLine,
  formatListening,
  formatResponse,
  formatTest,
} from "../../../src/cli/output/webhook-text.ts";
import { eventWith, triedDeliveryWith, webhookTestWith } from "../../testkit/api-objects.ts";

const style = new Chalk({ level: 0 });
const colours = new Chalk({ level: 1 });
const event = eventWith({ type: "payment.failed" });
const payment = event.data.object;
const time = formatLocalTime(event.created);

describe("an event", () => {
  test("in a pipe is one line: time, type, id, payment, amount and response", () => {
    expect(formatEventLine(event, { status: 200, tookMs: 12 }, { style })).toBe(
      `${time}  payment.failed     ${event.id}  ${payment.id}     49.99 EUR  → 200 in 12 ms`,
    );
  });

  test("that was not forwarded has no response", () => {
    expect(formatEventLine(event, undefined, { style })).toMatch(/49\.99 EUR$/);
  });

  test.each([
    [{ status: 500, tookMs: 3 }, "→ 500 in 3 ms"],
    [{ status: null, failure: "refused", tookMs: 1 }, "→ refused"],
    [{ status: null, failure: "no answer within 15 s", tookMs: 1 }, "→ no answer within 15 s"],
    [{ status: null, failure: "\u001b[2J", tookMs: 1 }, "→ \ufffd[2J"],
  ])("answered %j says so, whatever its type, in 80 columns", (forwarded, expected) => {
    const refunded = eventWith({ type: "payment.succeeded" });
    const text = formatEventLine(refunded, forwarded, { style, width: 80 });
    const lines = text.split("\n");
    expect(lines[0]?.endsWith(expected)).toBe(true);
    expect(lines.slice(1)).toEqual([`  ${event.id}`, `  ${payment.id}`]);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
  });

  test("shows the response of the address as safe text, on indented lines", () => {
    const response = {
      statusText: "Bad\u001b[2J",
      body: "a\tb\r\n\u001b]0;x\u0007é\n\n",
      isCut: false,
    };
    expect(formatResponse({ status: 500, tookMs: 1, response })).toBe(
      "  HTTP/1.1 500 Bad\ufffd[2J\n  a  b\n  \ufffd]0;x\ufffdé",
    );
    const cut = { statusText: "OK", body: "x", isCut: true };
    expect(formatResponse({ status: 200, tookMs: 1, response: cut })).toBe(
      "  HTTP/1.1 200 OK\n  x…",
    );
    expect(formatResponse({ status: null, failure: "refused", tookMs: 1 })).toBeUndefined();
  });

  test("has the same width in colours, which distinguish status and response", () => {
    const plain = formatEventLine(event, { status: 500, tookMs: 3 }, { style });
    const coloured = formatEventLine(event, { status: 500, tookMs: 3 }, { style: colours });
    expect(coloured).toContain(colours.red("failed   "));
    expect(coloured).toContain(colours.red("500 in 3 ms"));
    // oxlint-disable-next-line no-control-regex
    expect(coloured.replaceAll(/\u001b\[\d+m/g, "")).toBe(plain);
    expect(formatEventLine(event, { status: 204, tookMs: 3 }, { style: colours })).toContain(
      colours.green("204 in 3 ms"),
    );
  });
});

test("the start of listening shows everything that a receiver needs", () => {
  const started = {
    source: "https://payments.example.com, test mode",
    events: ["payment.failed", "payment.refunded"],
    routes: new Map([
      ["payment.failed", new URL("http://localhost:3000/failed")],
      ["*", new URL("http://localhost:3000/hooks")],
    ] as const),
    secret: "whsec_AAAA",
  };
  expect(formatListening(started, style).split("\n")).toEqual([
    "Listening to   https://payments.example.com, test mode",
    "Events         payment.failed, payment.refunded",
    "Forwarding to  http://localhost:3000/failed (payment.failed)",
    "Forwarding to  http://localhost:3000/hooks",
    "Secret         whsec_AAAA",
  ]);
});

test("an answer is shown as lines of text that no terminal obeys", () => {
  const answer = "\u001b]0;x\u0007first\r\n\tsecond \u202eline\u0000\n\n";
  const lines = "  \ufffd]0;x\ufffdfirst\n    second \ufffdline\ufffd";
  const [made] = triedDeliveryWith().tries;
  const delivery = triedDeliveryWith({ tries: [{ ...made!, answer, error: "\u001b[2J" }] });
  expect(formatDelivery(delivery, style)).toMatch(new RegExp(`  \ufffd\\[2J\n${escape(lines)}$`));
  expect(formatTest(webhookTestWith({ answer }), style)).toMatch(
    new RegExp(`\n\nAnswer\n${escape(lines)}$`),
  );
});

test("what did not answer, and what was not tried, is said", () => {
  const [made] = triedDeliveryWith().tries;
  const silent = { ...made!, status: null, answer: null, duration_ms: null, error: "refused" };
  expect(formatDelivery(triedDeliveryWith({ tries: [silent] }), style)).toMatch(
    / {2}no answer {2}refused$/,
  );
  expect(formatDelivery(triedDeliveryWith({ tries: [] }), style)).toMatch(/\n\nNo try yet\.$/);
});

function escape(text: string): string {
  return text.replaceAll(/[[\]()]/g, String.raw`\$&`);
}
