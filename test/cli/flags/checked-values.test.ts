import { describe, expect, test } from "vitest";
import {
  checkId,
  checkIdempotencyKey,
  checkName,
  checkSearchText,
  describeSearch,
  parseFields,
} from "../../../src/cli/flags/checked-values.ts";
import {
  deliveryResource,
  endpointResource,
  eventResource,
  issuedEndpointResource,
} from "../../../src/cli/output/webhook-resources.ts";
import { paymentResource } from "../../../src/cli/output/payment-resource.ts";
import { someKeys } from "../../testkit/temporary.ts";

describe("the id of a payment", () => {
  test.each(["pay_0199c5a8-7f3e-7abc-9def-0123456789ab", "pay_1", undefined])("may be %s", (id) => {
    expect(checkId(paymentResource, id, "<id>")).toBe(id);
  });

  test.each(["0199c5a8", "ch_1", "pay_", "pay_1/refund", " pay_1", "pay_1\n", "4242424242424242"])(
    "may not be %j, which is not repeated",
    (id) => {
      expect(() => checkId(paymentResource, id, "--starting-after")).toThrow(
        expect.objectContaining({
          exitCode: 2,
          message:
            "--starting-after must be the id of a payment, such as pay_0199…. Nothing was sent.",
        }),
      );
    },
  );

  test("has at most 255 characters; a longer one is not repeated", () => {
    const maxId = `pay_${"x".repeat(251)}`;
    expect(checkId(paymentResource, maxId, "<id>")).toBe(maxId);
    expect(() => checkId(paymentResource, `${maxId}x`, "<id>")).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message:
          "<id> is longer than 255 characters, which no id of a payment is. Nothing was sent.",
      }),
    );
  });

  test("may not be empty, as with an unset variable", () => {
    expect(() => checkId(paymentResource, " ", "<id>")).toThrow("<id> is empty.");
  });
});

test.each(["a", "order-1001", "!~", "k".repeat(255)])("%j names a write", (key) => {
  expect(checkIdempotencyKey(key)).toBe(key);
});

test.each(["", "a b", "é", "a\n", "k".repeat(256)])(
  "%j is refused before anything is sent",
  (key) => {
    expect(() => checkIdempotencyKey(key)).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: "--idempotency-key must be 1 to 255 visible ASCII characters, without spaces.",
      }),
    );
  },
);

test("a key of the API names no write: it would be stored, or stand in a URL", () => {
  expect(() => checkIdempotencyKey("svc_live_sk_0123456789abcdefghijABCDEFGHIJ")).toThrow(
    expect.objectContaining({
      exitCode: 2,
      message: "--idempotency-key must not hold an API key. Nothing was sent.",
    }),
  );
});

test.each(["ci", "Ada’s laptop 💳", "é".repeat(200), "💳".repeat(200)])("may be %s", (name) => {
  expect(checkName(name, "ci")).toBe(name);
});

test.each(["x".repeat(201), "💳".repeat(201), "two\nlines", "\u001B[31mred", "a\0", "\uD800"])(
  "may not be %j, which is not repeated",
  (name) => {
    expect(() => checkName(name, "ci")).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: "--name must be 1 to 200 characters, without control characters.",
      }),
    );
  },
);

test.each(["", "  "])("may not be empty (%j)", (name) => {
  expect(() => checkName(name, "ci")).toThrow("--name is empty.");
});

describe("--fields", () => {
  test("lists fields in order, each once", () => {
    expect(parseFields(undefined)).toBeUndefined();
    expect(parseFields("amount, id,card.last4,amount,metadata.order.id,card")).toEqual([
      "amount",
      "id",
      "card.last4",
      "metadata.order.id",
      "card",
    ]);
  });

  test.each(["", "id,", "amunt", "card.number", "metadata.", "toString", "id amount"])(
    "refuses %j and lists the fields",
    (text) => {
      expect(() => parseFields(text)).toThrow(
        expect.objectContaining({
          exitCode: 2,
          hint: expect.stringContaining("card.last4") as string,
        }),
      );
    },
  );
});

describe("another kind than a payment", () => {
  test("has its own ids, and a command that shows them", () => {
    expect(checkId(eventResource, "evt_1", "<id>")).toBe("evt_1");
    expect(() => checkId(endpointResource, "evt_1", "--endpoint")).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message:
          "--endpoint must be the id of a webhook endpoint, such as we_0199…. Nothing was sent.",
        hint: "payments webhooks list shows the ids.",
      }),
    );
  });

  test("has its own fields, at every depth", () => {
    const fields = "id,data.object.card.last4,data.object,data.object.metadata.order.id";
    expect(parseFields(fields, eventResource)).toEqual(fields.split(","));
    expect(parseFields("id,last_error", deliveryResource)).toEqual(["id", "last_error"]);
    expect(parseFields("secret", issuedEndpointResource)).toEqual(["secret"]);
  });

  test.each([
    ["amount", eventResource],
    ["metadata.order_id", eventResource],
    ["data.object.metadata.", eventResource],
    ["metadata.order_id", endpointResource],
    ["undefined.order_id", endpointResource],
    ["secret", endpointResource],
  ])("has no field %s", (field, kind) => {
    expect(() => parseFields(field, kind)).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: `--fields names a field that ${kind.one} does not have.`,
        hint: expect.stringMatching(
          kind.metadata ? /, and data.*\.KEY\.$/ : /failing_since\.$/,
        ) as string,
      }),
    );
  });
});

describe("a typed text", () => {
  test.each([
    "ada",
    "  ada  books ",
    "ORD-1001",
    "49.99",
    "4242-4242-4242-4242abcdefab",
    "a".repeat(200),
  ])("is searched: %j", (typed) => {
    expect(checkSearchText(typed)).toEqual({ kind: "search", search: typed.trim() });
  });

  test.each([
    ["", "blank"],
    [" \t", "blank"],
    ["--", "not_searchable"],
    ["a b c d e f g h i", "not_searchable"],
    ["a".repeat(201), "not_searchable"],
    ["a\0", "not_searchable"],
    [someKeys.test, "not_searchable"],
    [`x ${someKeys.live.toUpperCase()}`, "not_searchable"],
    ["4242424242424242", "card_number"],
    ["ada 4242-4242-4242-4242", "card_number"],
  ])("is not sent: %j, because it is %s", (typed, kind) => {
    expect(checkSearchText(typed)).toEqual({ kind });
  });
});

describe("where an id is expected, the hint", () => {
  test.each(["ada", "Ada Lovelace", "ada@example.com", "o'brien", "9def-0123456789ab"])(
    "repeats what can be searched: %s",
    (typed) => {
      expect(describeSearch(` ${typed} `)).toMatch(`: payments list --search "${typed}"`);
    },
  );

  test.each([
    "",
    "--",
    "4242424242424242",
    "4539.5787.6362.1486",
    "424242424242424",
    "$(rm x)",
    "`rm x`",
    'a" b',
    "a\\",
    "a!!",
    "a\nb",
    "a\u202Eb",
    someKeys.test,
  ])("does not repeat %j", (typed) => {
    expect(describeSearch(typed)).toMatch(/: payments list --search "WORDS"$/);
  });
});
