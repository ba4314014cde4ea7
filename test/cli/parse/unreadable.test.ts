import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { describeReadError } from "../../../src/cli/parse/read-input.ts";

test.each([
  ["/nowhere/svc_live_sk_1", "there is no such file"],
  [`${import.meta.filename}/4242424242424242`, "there is no such file"],
  [import.meta.dirname, "it is a directory"],
  ["4242".repeat(1000), "that is not the name of a file"],
  ["a\0b", "that is not the name of a file"],
])("why %s cannot be read is told without it", (path, reason) => {
  expect(describeReadError(failureOfReading(path))).toBe(reason);
});

test.each([
  [Object.assign(new Error("open '4242'"), { code: "EACCES" }), "this user may not read it"],
  [Object.assign(new Error("read '4242'"), { code: "EIO" }), "the system says EIO"],
  [new Error("4242"), "the system says no"],
])("%o", (error, reason) => {
  expect(describeReadError(error)).toBe(reason);
});

function failureOfReading(path: string): unknown {
  try {
    return readFileSync(path);
  } catch (error) {
    return error;
  }
}
