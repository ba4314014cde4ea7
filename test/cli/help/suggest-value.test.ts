import { expect, test } from "vitest";
import { suggestValue } from "../../../src/cli/help/suggest-value.ts";

const byFlag = { message: "--expect must be one of succeeded, …", param: null };
const ofSeveral = { message: "--events must be payment.pending, …", param: null };
const byApi = { message: "currency must be one of eur, usd, gbp.", param: "currency" };

test.each([
  [byFlag, ["create", "--expect", "success"], "Did you mean --expect succeeded?"],
  [byFlag, ["create", "--expect=expired-card"], "Did you mean --expect expired_card?"],
  [
    ofSeveral,
    ["webhooks", "create", "--events", "payment.failed, payment.refunds", "--events=payment.faild"],
    "Did you mean --events payment.refunded or --events payment.failed?",
  ],
  [byApi, ["create", "--currency", "eru"], "Did you mean --currency eur?"],
  [byApi, ["create", "--data", "payment.json"], null],
  [byFlag, ["create", "--expect", "nonsense"], null],
  [{ message: "--timeout must be …", param: null }, ["create", "--expect", "success"], null],
])("what %o was meant as, typed %j", (problem, argv, suggestion) => {
  expect(suggestValue(problem, argv)).toBe(suggestion);
});
