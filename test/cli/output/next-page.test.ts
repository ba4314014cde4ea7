import { expect, test } from "vitest";
import { describeNextPage } from "../../../src/cli/program/show-pages.ts";
import { paymentWith } from "../../testkit/api-objects.ts";

const data = ["pay_3", "pay_2", "pay_1"].map((id) => paymentWith({ id }));
const list = { object: "list", url: "/v1/payments", data, has_more: true } as const;

test("the next page begins after the oldest payment", () => {
  expect(describeNextPage({ ...list, data }, {})).toBe(
    "There are older ones: --starting-after pay_1, or --all",
  );
});

test("the next page of newer payments ends before the newest one", () => {
  expect(describeNextPage({ ...list, data }, { ending_before: "pay_0" })).toBe(
    "There are newer ones: --ending-before pay_3",
  );
});
