import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import {
  verifyWebhook,
  type WebhookHeaders,
  WebhookVerificationError,
  type WebhookCheck,
} from "../../src/client/verify-webhook.ts";
import { eventWith, newSecret, paymentWith } from "../testkit/api-objects.ts";

const secret = newSecret();
const event = eventWith({
  data: { object: paymentWith({ customer: { email: "ada@example.com", name: "" } }) },
});
const body = JSON.stringify(event);

/** Headers as the service sends them, signed `agoS` seconds ago. */
function signHeaders({ text = body, by = [secret], agoS = 0 } = {}) {
  const signedAt = new Date(Date.now() - agoS * 1000);
  const signatures = by.map((one) => new Webhook(one).sign(event.id, signedAt, text));
  return {
    "webhook-id": event.id,
    "webhook-timestamp": String(Math.floor(signedAt.getTime() / 1000)),
    "webhook-signature": signatures.join(" "),
  };
}

function mapHeaders<T>(
  headers: Record<string, string>,
  change: (name: string, value: string) => [string, T],
): Record<string, T> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => change(name, value)));
}

function findFailedCheck(...given: Parameters<typeof verifyWebhook>): WebhookCheck | undefined {
  try {
    verifyWebhook(...given);
    return undefined;
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return error.check;
  }
}

describe("a webhook of the service's", () => {
  const raw = Buffer.from(body);
  test.each<[string, string | Uint8Array | ArrayBuffer]>([
    ["text", body],
    ["a buffer", raw],
    ["an ArrayBuffer", new Uint8Array(raw).buffer],
    ["bytes of another realm", runInNewContext("Uint8Array.from(raw)", { raw }) as Uint8Array],
    ["bytes", new Uint8Array(raw)],
    ["bytes within others", new Uint8Array([0, ...raw, 0]).subarray(1, raw.length + 1)],
  ])("gives its event, from a body that is %s", (_, given) => {
    expect(verifyWebhook(given, signHeaders(), secret)).toEqual(event);
  });

  test.each<[string, WebhookHeaders]>([
    ["a Headers", new Headers(signHeaders())],
    [
      "an object of capitals",
      mapHeaders(signHeaders(), (name, value) => [name.toUpperCase(), value]),
    ],
    ["an object of arrays", mapHeaders(signHeaders(), (name, value) => [name, [value]])],
    ["an object with more", { ...signHeaders(), host: "hooks.example", cookie: undefined }],
  ])("gives its event, from headers that are %s", (_, headers) => {
    expect(verifyWebhook(body, headers, secret)).toEqual(event);
  });

  test("is verified by either secret while two of them sign", () => {
    const older = newSecret();
    const headers = signHeaders({ by: [secret, older] });
    expect(verifyWebhook(body, headers, secret)).toEqual(event);
    expect(verifyWebhook(body, headers, older)).toEqual(event);
  });

  test("is verified if any one of several secrets fits", () => {
    expect(verifyWebhook(body, signHeaders(), [newSecret(), secret])).toEqual(event);
    expect(verifyWebhook(body, signHeaders(), [secret, newSecret()])).toEqual(event);
    expect(findFailedCheck(body, signHeaders(), [newSecret(), newSecret()])).toBe("signature");
  });

  test("may have fields that this version does not know", () => {
    const text = JSON.stringify({ ...event, later: true });
    expect(verifyWebhook(text, signHeaders({ text }), secret)).toEqual({ ...event, later: true });
  });

  test.each(["payment.disputed", "payout.paid", "later"])(
    "comes as it is where its type is not known yet: %s",
    (type) => {
      for (const later of [
        { ...event, type },
        { id: "evt_1", object: "event", type, data: 1 },
      ]) {
        const text = JSON.stringify(later);
        expect(verifyWebhook(text, signHeaders({ text }), secret)).toEqual(later);
      }
    },
  );

  test.each([`${secret}\n`, ` \t${secret}\r\n`, [`${newSecret()} `, ` ${secret}`]])(
    "is verified by a secret with white space around it (%#)",
    (given) => {
      expect(verifyWebhook(body, signHeaders(), given)).toEqual(event);
    },
  );

  test("may be at most five minutes from the time of a sandbox that was moved on", () => {
    const tomorrowS = 25 * 3_600;
    const headers = signHeaders({ agoS: -tomorrowS });
    const signedAt = Number(headers["webhook-timestamp"]);
    expect(findFailedCheck(body, headers, secret)).toBe("timestamp");
    expect(verifyWebhook(body, headers, secret, { now: signedAt + 300 })).toEqual(event);
    for (const now of [signedAt - 301, signedAt + 301]) {
      expect(findFailedCheck(body, headers, secret, { now })).toBe("timestamp");
    }
    expect(findFailedCheck(body, headers, newSecret(), { now: signedAt })).toBe("signature");
  });

  test("may be at most five minutes late or early", () => {
    for (const agoS of [290, -290])
      expect(verifyWebhook(body, signHeaders({ agoS }), secret)).toEqual(event);
    for (const agoS of [310, -310])
      expect(findFailedCheck(body, signHeaders({ agoS }), secret)).toBe("timestamp");
  });
});

describe("a request is refused with", () => {
  test.each([
    "",
    "whsec_",
    "whsec_%%%",
    `svc_test_sk_${"a".repeat(43)}`,
    undefined as unknown as string,
    [],
    [secret, ""],
  ])("an invalid secret: %j", (given) => {
    expect(findFailedCheck(body, signHeaders(), given)).toBe("secret");
  });

  const names = ["webhook-id", "webhook-timestamp", "webhook-signature"] as const;
  test.each(names)("no %s, or with several", (name) => {
    for (const value of [undefined, "", [], ["", ""], [signHeaders()[name], signHeaders()[name]]])
      expect(findFailedCheck(body, { ...signHeaders(), [name]: value }, secret)).toBe("headers");
    const twice = { ...signHeaders(), [name.toUpperCase()]: "more" };
    expect(findFailedCheck(body, twice, secret)).toBe("headers");
  });

  test.each<[name: (typeof names)[number], of: (value: string) => string, WebhookCheck]>([
    ["webhook-timestamp", (value) => `${value}x`, "timestamp"],
    ["webhook-timestamp", (value) => `0${value}`, "timestamp"],
    ["webhook-timestamp", (value) => `${value}.0`, "timestamp"],
    ["webhook-timestamp", () => "1e9", "timestamp"],
    ["webhook-timestamp", () => "9".repeat(400), "timestamp"],
    ["webhook-signature", (value) => value.replace("v1,", "v2,"), "signature"],
    ["webhook-signature", (value) => value.slice(3), "signature"],
    ["webhook-signature", () => "v1", "signature"],
    ["webhook-signature", () => "v1,", "signature"],
    ["webhook-signature", () => "v1,v1 ".repeat(2_000), "signature"],
  ])("a malformed header %s (%#)", (name, of, check) => {
    const headers = signHeaders();
    expect(findFailedCheck(body, { ...headers, [name]: of(headers[name]) }, secret)).toBe(check);
  });

  test("a body whose bytes differ from the signed ones but read as the same text", () => {
    const text = body.replace("ada@", "\uFFFD");
    const lone = body.replace("ada@", "\uD800");
    const headers = signHeaders({ text });
    expect(() => new Webhook(secret).verify(lone, headers)).not.toThrow();
    expect(findFailedCheck(lone, headers, secret)).toBe("body");
    const bytes = Buffer.from(body.replace("ada@", "\xFF"), "latin1");
    expect(findFailedCheck(bytes, headers, secret)).toBe("body");
  });

  test("a byte order mark that was not signed", () => {
    const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(body)]);
    expect(findFailedCheck(marked, signHeaders(), secret)).toBe("signature");
  });

  test.each([undefined, null, event, 1, [], { byteLength: 1 }])(
    "a body of another type: %j",
    (given) => {
      expect(findFailedCheck(given as unknown as string, signHeaders(), secret)).toBe("body");
    },
  );

  test.each([
    "",
    "{",
    "[]",
    "null",
    "{}",
    JSON.stringify({ ...event, type: 1 }),
    JSON.stringify({ ...event, object: "payment" }),
    JSON.stringify({ ...event, data: {} }),
  ])("a signed body that is not an event: %j", (text) => {
    expect(findFailedCheck(text, signHeaders({ text }), secret)).toBe("body");
  });

  test.each([undefined, null, "headers", 1, []])("headers that are none: %j", (given) => {
    expect(findFailedCheck(body, given as unknown as Headers, secret)).toBe("headers");
  });

  test("any signed byte changed", () => {
    const parts = ["body", "webhook-id", "webhook-timestamp", "webhook-signature"] as const;
    const change = fc.record({
      part: fc.constantFrom(...parts),
      at: fc.nat(),
      by: fc.integer({ min: 1, max: 255 }),
    });
    fc.assert(
      fc.property(change, ({ part, at, by }) => {
        const headers = signHeaders();
        const bytes = Buffer.from(part === "body" ? body : headers[part]);
        const index = at % bytes.length;
        bytes[index] = (bytes[index] ?? 0) ^ by;
        const failed =
          part === "body"
            ? findFailedCheck(bytes, headers, secret)
            : findFailedCheck(body, { ...headers, [part]: bytes.toString("latin1") }, secret);
        const checks: Record<(typeof parts)[number], WebhookCheck[]> = {
          body: ["signature", "body"], // `body` if it is no longer valid UTF-8
          "webhook-id": ["signature"],
          "webhook-timestamp": ["timestamp", "signature"],
          "webhook-signature": ["signature"],
        };
        expect(checks[part]).toContain(failed);
      }),
      { numRuns: 2_000 },
    );
  });

  test("arbitrary bytes and headers, always by a WebhookVerificationError", () => {
    const anyHeaders = fc.dictionary(
      fc.oneof(fc.constantFrom(...names, "__proto__", "get", "Webhook-Id"), fc.string()),
      fc.oneof(fc.string(), fc.array(fc.string())),
    );
    fc.assert(
      fc.property(fc.uint8Array(), anyHeaders, (bytes, headers) => {
        expect(findFailedCheck(bytes, headers, secret)).toBeDefined();
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("an argument that the caller has to correct is a TypeError:", () => {
  const second = Math.floor(Date.now() / 1000);
  test.each<[string, unknown]>([
    ["not of milliseconds: pass Math.floor(milliseconds / 1000)", { now: second * 1000 }],
    ["not a Date: pass Math.floor(date.getTime() / 1000)", { now: new Date() }],
    ["not a Date", { now: runInNewContext("new Date()") as Date }],
    ["now must be a number of Unix seconds, such as", { now: String(second) }],
    ["now must be a number of Unix seconds, such as", { now: null }],
    ["now must be a number of Unix seconds, such as", { now: Number.NaN }],
    ["now must be a number of Unix seconds, such as", { now: -1 }],
    ["verifyWebhook has no option Now. Did you mean now?", { Now: second }],
    ["verifyWebhook has no option tolerance. It has now.", { tolerance: 60 }],
    ["verifyWebhook takes an object of options: now", null],
    ["verifyWebhook takes an object of options: now", second],
  ])("%s (%#)", (told, options) => {
    const verify = () => verifyWebhook(body, signHeaders(), secret, options as { now?: number });
    expect(verify).toThrow(TypeError);
    expect(verify).toThrow(told);
  });
});
