import { expect, test } from "vitest";
import { suggestValue } from "../../../src/cli/help/suggest.ts";
import {
  suggest,
  findNearest,
  findNearestByLastWord,
  joinWithOr,
} from "../../../src/cli/help/suggest.ts";

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
