import * as fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import {
  verifyWebhook,
  type WebhookHeaders,
  WebhookVerificationError,
  type WebhookCheck,
} from "../../src/client/verify-webhook.ts";
import { eventWith } from "../testkit/event-with.ts";
import { newSecret } from "../testkit/new-secret.ts";
import { paymentWith } from "../testkit/client/scripted-server.ts";

const secret = newSecret();
const event = eventWith({
  data: { object: paymentWith({ customer: { email: "ada@example.com", name: "" } }) },
});
const body = JSON.stringify(event);

/** Headers as the service sends them, signed so many seconds ago. */
function signed({ text = body, by = [secret], agoS = 0 } = {}) {
  const signedAt = new Date(Date.now() - agoS * 1000);
  const signatures = by.map((one) => new Webhook(one).sign(event.id, signedAt, text));
  return {
    "webhook-id": event.id,
    "webhook-timestamp": String(Math.floor(signedAt.getTime() / 1000)),
    "webhook-signature": signatures.join(" "),
  };
}

function ofEach<T>(
  headers: Record<string, string>,
  change: (name: string, value: string) => [string, T],
): Record<string, T> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => change(name, value)));
}

function checkThatFails(...given: Parameters<typeof verifyWebhook>): WebhookCheck | undefined {
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
  test.each<[string, string | Uint8Array]>([
    ["text", body],
    ["a buffer", raw],
    ["bytes", new Uint8Array(raw)],
    ["bytes within others", new Uint8Array([0, ...raw, 0]).subarray(1, raw.length + 1)],
  ])("gives its event, from a body that is %s", (_, given) => {
    expect(verifyWebhook(given, signed(), secret)).toEqual(event);
  });

  test.each<[string, WebhookHeaders]>([
    ["a Headers", new Headers(signed())],
    ["an object of capitals", ofEach(signed(), (name, value) => [name.toUpperCase(), value])],
    ["an object of arrays", ofEach(signed(), (name, value) => [name, [value]])],
    ["an object with more", { ...signed(), host: "hooks.example", cookie: undefined }],
  ])("gives its event, from headers that are %s", (_, headers) => {
    expect(verifyWebhook(body, headers, secret)).toEqual(event);
  });

  test("is verified by either secret while two of them sign", () => {
    const older = newSecret();
    const headers = signed({ by: [secret, older] });
    expect(verifyWebhook(body, headers, secret)).toEqual(event);
    expect(verifyWebhook(body, headers, older)).toEqual(event);
  });

  test("is verified where one of several secrets fits, wherever it stands", () => {
    expect(verifyWebhook(body, signed(), [newSecret(), secret])).toEqual(event);
    expect(verifyWebhook(body, signed(), [secret, newSecret()])).toEqual(event);
    expect(checkThatFails(body, signed(), [newSecret(), newSecret()])).toBe("signature");
  });

  test("may have fields that this version does not know", () => {
    const text = JSON.stringify({ ...event, later: true });
    expect(verifyWebhook(text, signed({ text }), secret)).toEqual({ ...event, later: true });
  });

  test("may be some minutes late or early, and no more", () => {
    for (const agoS of [290, -290])
      expect(verifyWebhook(body, signed({ agoS }), secret)).toEqual(event);
    for (const agoS of [310, -310])
      expect(checkThatFails(body, signed({ agoS }), secret)).toBe("timestamp");
  });
});

describe("what is refused", () => {
  test.each([
    "",
    "whsec_",
    "whsec_%%%",
    `svc_test_sk_${"a".repeat(43)}`,
    undefined as unknown as string,
    [],
    [secret, ""],
  ])("a secret that is none: %j", (given) => {
    expect(checkThatFails(body, signed(), given)).toBe("secret");
  });

  const names = ["webhook-id", "webhook-timestamp", "webhook-signature"] as const;
  test.each(names)("a request without %s, or with several", (name) => {
    for (const value of [undefined, "", [], ["", ""], [signed()[name], signed()[name]]])
      expect(checkThatFails(body, { ...signed(), [name]: value }, secret)).toBe("headers");
    const twice = { ...signed(), [name.toUpperCase()]: "more" };
    expect(checkThatFails(body, twice, secret)).toBe("headers");
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
  ])("a header %s that is odd (%#)", (name, of, check) => {
    const headers = signed();
    expect(checkThatFails(body, { ...headers, [name]: of(headers[name]) }, secret)).toBe(check);
  });

  test("a body of other bytes than were signed, though read as text they are the same", () => {
    const text = body.replace("ada@", "\uFFFD");
    const lone = body.replace("ada@", "\uD800");
    const headers = signed({ text });
    expect(() => new Webhook(secret).verify(lone, headers)).not.toThrow();
    expect(checkThatFails(lone, headers, secret)).toBe("body");
    const bytes = Buffer.from(body.replace("ada@", "\xFF"), "latin1");
    expect(checkThatFails(bytes, headers, secret)).toBe("body");
  });

  test("a body that begins with a mark that the signed one has not", () => {
    const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(body)]);
    expect(checkThatFails(marked, signed(), secret)).toBe("signature");
  });

  test.each([null, event, 1])("a body that is none: %j", (given) => {
    expect(checkThatFails(given as unknown as string, signed(), secret)).toBe("body");
  });

  test.each(["", "{", "[]", "null", "{}", JSON.stringify({ ...event, type: "payment.lost" })])(
    "a signed body that is no event: %j",
    (text) => {
      expect(checkThatFails(text, signed({ text }), secret)).toBe("body");
    },
  );

  test("any change of one byte of what is signed", () => {
    const parts = ["body", "webhook-id", "webhook-timestamp", "webhook-signature"] as const;
    const change = fc.record({
      part: fc.constantFrom(...parts),
      at: fc.nat(),
      by: fc.integer({ min: 1, max: 255 }),
    });
    fc.assert(
      fc.property(change, ({ part, at, by }) => {
        const headers = signed();
        const bytes = Buffer.from(part === "body" ? body : headers[part]);
        const index = at % bytes.length;
        bytes[index] = (bytes[index] ?? 0) ^ by;
        const failed =
          part === "body"
            ? checkThatFails(bytes, headers, secret)
            : checkThatFails(body, { ...headers, [part]: bytes.toString("latin1") }, secret);
        const checks: Record<(typeof parts)[number], WebhookCheck[]> = {
          body: ["signature", "body"], // the latter where it is no UTF-8 any more
          "webhook-id": ["signature"],
          "webhook-timestamp": ["timestamp", "signature"],
          "webhook-signature": ["signature"],
        };
        expect(checks[part]).toContain(failed);
      }),
      { numRuns: 2_000 },
    );
  });

  test("whatever a stranger sends, with no other error", () => {
    const anyHeaders = fc.dictionary(
      fc.oneof(fc.constantFrom(...names, "__proto__", "get", "Webhook-Id"), fc.string()),
      fc.oneof(fc.string(), fc.array(fc.string())),
    );
    fc.assert(
      fc.property(fc.uint8Array(), anyHeaders, (bytes, headers) => {
        expect(checkThatFails(bytes, headers, secret)).toBeDefined();
      }),
      { numRuns: 2_000 },
    );
  });
});
