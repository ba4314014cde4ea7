import { describe, expect, test } from "vitest";
import {
  envelopeError,
  json,
  paymentWith,
  scriptedServer,
  type Answer,
} from "../../testkit/client/scripted-server.ts";
import { endpointWith } from "../../testkit/webhook-objects.ts";
import { eventWith } from "../../testkit/event-with.ts";
import { createServiceEnv, runPayments, type Ran } from "../../testkit/command/run-payments.ts";

/** Text that would clear a screen, hide a link, ring, go back, reverse text, or run in a spreadsheet. */
const hostile = [
  '=HYPERLINK("https://evil.example","pay")',
  "\u001B[2J\u001B]8;;https://evil.example\u0007here\u001B]8;;\u001B\\",
  "\r\n\t\b\u0000\u007F\u0085\u009B31m\u009D0;owned\u009C",
  "\u202Eevil\u2066\u2069\u200F\u2028\uFEFF",
  "😀👩🏽‍💻東京é",
  "x".repeat(10_000),
].join(" ");
const payment = paymentWith({
  currency: hostile,
  description: hostile,
  card: { brand: hostile, last4: hostile, exp_month: 12, exp_year: 2031, country: hostile },
  customer: { email: hostile, name: hostile },
  metadata: { [hostile]: hostile, order_id: hostile },
  decline_code: hostile,
  decline_message: hostile,
  redirect_url: hostile,
});
const list = { object: "list", url: hostile, data: [payment, payment], has_more: false };
const event = eventWith({ id: "evt_1", data: { object: payment } });
const events = { ...list, data: [event, event] };
const endpoint = endpointWith({
  url: hostile,
  events: [hostile],
  description: hostile,
  disabled_reason: hostile,
});
const headers = { "x-note": "\u009B2Jowned" };
const refused = json(
  404,
  {
    error: {
      ...envelopeError,
      type: hostile,
      code: hostile,
      message: hostile,
      param: hostile,
      decline_code: hostile,
      doc_url: hostile,
      request_id: hostile,
    },
  },
  headers,
);

const fields = "id,description,metadata.order_id,metadata,card,customer.name,currency,amount";
const runs: [name: string, args: string[], answer: Answer][] = [
  ["a list", ["list"], json(200, list, headers)],
  ["fields of a list", ["list", "--fields", fields], json(200, list, headers)],
  ["a payment", ["get", payment.id], json(200, payment, headers)],
  ["events", ["events", "list"], json(200, events, headers)],
  ["an event", ["events", "get", "evt_1"], json(200, event, headers)],
  ["endpoints", ["webhooks", "list"], json(200, { ...list, data: [endpoint] }, headers)],
  ["an endpoint", ["webhooks", "get", endpoint.id], json(200, endpoint, headers)],
  ["an error", ["get", "pay_1"], refused],
];
const formats = ["table", "json", "ndjson", "csv"];
/** The characters that a terminal obeys: control characters, and those that change the direction of text. */
const steering = /[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

describe.concurrent.each(runs)("%s with hostile strings", (_, args, answer) => {
  test.each(formats)(
    "prints no control sequence in a pipe, as %s, traffic included",
    async (format) => {
      const { stdout, stderr } = await run([...args, "-o", format, "--debug"], answer);
      expect(stdout + stderr).toContain("東京");
      expect(removeLineBreaks(stderr)).not.toMatch(steering);
      expect(removeLineBreaks(format === "csv" ? removeTabs(stdout) : stdout)).not.toMatch(
        steering,
      );
    },
  );
});

async function run(args: string[], answer: Answer): Promise<Ran> {
  const server = await scriptedServer(answer);
  return await runPayments(args, { env: createServiceEnv(server.url) });
}

function removeLineBreaks(text: string): string {
  return text.replaceAll("\n", "");
}

/** Removes the tabs that a cell of CSV may contain inside quotes. */
function removeTabs(text: string): string {
  return text.replaceAll("\t", "");
}
