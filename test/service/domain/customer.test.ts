import { expect, test } from "vitest";
import { customerOf } from "../../../src/service/domain/customer.ts";

test.each([
  [{ email: "ada@example.com", first_name: "Ada", last_name: "Lovelace" }, "Ada Lovelace"],
  [{ email: "ada@example.com", first_name: "", last_name: null }, "A. L."],
  [{ email: "ada@example.com" }, "A. L."],
])("a customer given as %j is named %s", (input, name) => {
  expect(customerOf(input, "A. L.")).toEqual({ email: "ada@example.com", name });
});

test.each([null, undefined])("without a customer (%s) both strings are there", (absent) => {
  expect(customerOf(absent, absent)).toEqual({ email: "", name: "" });
});
