import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { UnknownFields } from "../../../src/cli/output/command-error.ts";
import { parseFields } from "../../../src/cli/flags/checked-values.ts";
import {
  explainUnknownFields,
  findNearest,
  findNearestByLastWord,
  joinWithOr,
  redactField,
  redactFlag,
  redactSecret,
  suggest,
  suggestValue,
} from "../../../src/cli/help/suggest.ts";
import { eventResource } from "../../../src/cli/output/webhook-resources.ts";
import { paymentResource } from "../../../src/cli/output/payment-resource.ts";
import type { ResourceName } from "../../../src/cli/output/resource.ts";
import { someKeys } from "../../testkit/temporary.ts";

const commands = ["create", "get", "list", "refund", "test-cards", "login", "logout", "mode"];
const statuses = ["pending", "succeeded", "failed", "refunded"];

test.each([
  ["lst", commands, ["list"]],
  ["lits", commands, ["list"]],
  ["crate", commands, ["create"]],
  ["refnud", commands, ["refund"]],
  ["LIST", commands, ["list"]],
  ["test-card", commands, ["test-cards"]],
  ["log", commands, ["login", "logout"]],
  ["suceeded", statuses, ["succeeded"]],
  ["success", statuses, ["succeeded"]],
  ["josn", ["json", "mode"], ["json"]],
  ["expired_card", ["expired-card", "visa"], ["expired-card"]],
])("%s was meant as one of what is near", (typed, known, near) => {
  expect(findNearest(typed, known)).toEqual(near);
});

test.each(["nonsense", "delete", "x", "", "svc_live_sk_0123", "4242424242424242"])(
  "nothing is near %j",
  (typed) => {
    expect(findNearest(typed, commands)).toEqual([]);
  },
);

test.each([
  ["customer-email", ["card-holder", "email", "email-x"], ["email"]],
  ["customerName", ["first-name", "last-name", "card-file"], ["first-name", "last-name"]],
  ["retries", ["max-retries", "all"], ["max-retries"]],
  ["expiry_month", ["exp-month", "exp-year"], ["exp-month"]],
  ["customer-first-name", ["first-name", "last-name"], ["first-name"]],
  ["nonsense", ["email"], []],
  ["", ["email"], []],
])("%s is called %j by its last word", (typed, known, near) => {
  expect(findNearestByLastWord(typed, known)).toEqual(near);
});

test("at most three words are suggested, the nearest first", () => {
  expect(findNearest("key1", ["key9", "key8", "key1", "key7"])).toEqual(["key1", "key9", "key8"]);
});

test("a text longer than any word is not compared", () => {
  expect(findNearest("x".repeat(1_000_000), ["x".repeat(1_000_000)])).toEqual([]);
});

test.each([
  [[], undefined],
  [["a"], "Did you mean a?"],
  [["a", "b"], "Did you mean a or b?"],
  [["a", "b", "c"], "Did you mean a, b or c?"],
])("the question about %j", (near, question) => {
  expect(suggest(near)).toBe(question);
  expect(joinWithOr(near)).toBe(question?.slice("Did you mean ".length, -1) ?? "");
});

const byFlag = { message: "--expect must be one of succeeded, …", param: null };
const ofSeveral = { message: "--events must be payment.pending, …", param: null };
const byApi = { message: "currency must be one of eur, usd, gbp.", param: "currency" };

test.each<[typeof byFlag | typeof byApi, flag: string, typed: string[], string | null]>([
  [byFlag, "expect", ["success"], "Did you mean --expect succeeded?"],
  [byFlag, "expect", ["expired-card"], "Did you mean --expect expired_card?"],
  [
    ofSeveral,
    "events",
    ["payment.failed, payment.refunds", "payment.faild"],
    "Did you mean --events payment.refunded or --events payment.failed?",
  ],
  [byApi, "currency", ["eru"], "Did you mean --currency eur?"],
  [byApi, "data", ["payment.json"], null],
  [byFlag, "expect", ["nonsense"], null],
  [{ message: "--timeout must be …", param: null }, "expect", ["success"], null],
])("what %o was meant as, --%s typed %j", (problem, flag, typed, suggestion) => {
  const tokens = typed.map((input) => ({ type: "flag", flag, input }));
  expect(suggestValue(problem, tokens)).toBe(suggestion);
});

describe("a value is repeated", () => {
  test.each(["lst", "failed", "suceeded", "prod"])("if it is a short word: %s", (value) => {
    expect(redactSecret(value)).toBe(value);
  });

  test.each([
    someKeys.live,
    someKeys.live.slice(12),
    someKeys.live.slice(0, 15),
    "sk_live_abcdefgh",
    "svc-live-sk-abcdefgh",
    "4242424242424242",
    "4242 4242 4242 4242",
    "4242.4242.4242.4242",
    "123",
    "postgres://payments:hunter@db/payments",
    "hunter@db",
    "abcdefghijklmnopqrstuvwxyz",
    "Hunter",
    "",
    "a\nb",
  ])("but not %j", (value) => {
    expect(redactSecret(value)).toBeUndefined();
  });

  test("never if it is long enough to reveal part of a key", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9_-]{13,60}$/), (part) => {
        expect(redactSecret(part)).toBeUndefined();
      }),
    );
  });
});

describe("a flag is named", () => {
  test.each([
    ["--josn", "--josn"],
    [`--api-key=${someKeys.live}`, "--api-key"],
    [`-k${someKeys.live}`, "-k"],
    [`-k=${someKeys.live}`, "-k"],
    ["--card=4242 4242 4242 4242", "--card"],
  ])("without its value: %s", (typed, name) => {
    expect(redactFlag(typed)).toBe(name);
  });

  test.each([
    `--${someKeys.live}`,
    "--svc-live-sk-abcdefgh",
    "--sk-live-abcdefgh",
    "--4242424242424242",
    "--4242-4242-4242-4242",
    "--postgres://payments:hunter@db",
    "--abcdefghijklmnopqrstuvwxyz",
    "---",
    "--",
  ])("but not where its name may be a secret: %s", (typed) => {
    expect(redactFlag(typed)).toBeUndefined();
  });
});

describe("a field is named", () => {
  test.each(["amonut", "succeded_at", "card.lats4", "metadta.order_id"])("as %s", (name) => {
    expect(redactField(name)).toBe(name);
  });

  test.each([
    someKeys.live,
    "sk_live_abcdefgh",
    "svc.live.sk.abcdefgh",
    "4242424242424242",
    "4242.4242.4242.4242",
    "hunter22",
    "Hunter",
    "postgres://payments:hunter@db",
    "a b",
    "",
  ])("but not %j", (name) => {
    expect(redactField(name)).toBeUndefined();
  });
});

/** Explains wrong `--fields`; returns the names and the suggestion, without the list of fields. */
function explain(fields: string, kind: ResourceName = paymentResource): Explained {
  const { message, hint = "" } = explainUnknownFields(explainText(fields, kind));
  const [, names] = /^Unknown fields? in --fields: (.*)\.$/s.exec(message) ?? [];
  const [, meant] = /^(.*?) ?There are id, .*, and [a-z.]*metadata\.KEY\.$/s.exec(hint) ?? [];
  return { names, meant };
}

type Explained = { names: string | undefined; meant: string | undefined };

function explainText(fields: string, kind: ResourceName): UnknownFields {
  try {
    parseFields(fields, kind);
  } catch (error) {
    if (error instanceof UnknownFields) return error;
    throw error;
  }
  throw new Error("Nothing was refused.");
}

test.each([
  ["id,amonut", "amonut", "Did you mean amount?"],
  ["id,succeded_at", "succeded_at", "Did you mean succeeded_at?"],
  ["card.lats4", "card.lats4", "Did you mean card.last4?"],
  ["email", "email", "Did you mean customer.email?"],
  ["metadta.order_id", "metadta.order_id", "Did you mean metadata.order_id?"],
  ["metadta.Order 1", "number 1", "Did you mean metadata.KEY?"],
  ["amonut,id,crated", "amonut, crated", "Did you mean amount? Did you mean created?"],
  ["Amount", "number 1", "Did you mean amount?"],
  ["foo", "foo", ""],
  ["id,,amount", "number 2", ""],
])("a wrong name in --fields is repeated with a suggestion: %s", (fields, names, meant) => {
  expect(explain(fields)).toEqual({ names, meant });
});

test.each([
  ["amount", "amount", "Did you mean data.object.amount?"],
  ["card.lats4", "card.lats4", "Did you mean data.object.card.last4?"],
  ["sequnce", "sequnce", "Did you mean sequence?"],
  ["metadta.order_id", "metadta.order_id", "Did you mean data.object.metadata.order_id?"],
  ["tpye", "tpye", "Did you mean type?"],
])(
  "a wrong name of an event's field, too, whose payment lies deeper: %s",
  (fields, names, meant) => {
    expect(explain(fields, eventResource)).toEqual({ names, meant });
  },
);

test.each([
  someKeys.live,
  someKeys.live.slice(12),
  "4242424242424242",
  "4242.4242.4242.4242",
  "hunter2",
  "correct_horse_battery_staple",
  "correct.horse",
  "postgres://payments:hunter@db/payments",
  "customer99421",
  `amount${someKeys.test}`,
])("what may be a secret is not repeated, only its place: %s", (secret) => {
  expect(explain(`id,${secret}`)).toMatchObject({ names: "number 2" });
});
