import { Parser } from "@oclif/core";
import { expect, test } from "vitest";
import { connectionFlags, outputFlags } from "../../../src/cli/flags/flags.ts";
import { repeatFlags } from "../../../src/cli/flags/checked-values.ts";

const parse = async (argv: string[]) =>
  (await Parser.parse(argv, { flags: { ...connectionFlags, ...outputFlags }, strict: false })).raw;

test.each([
  ["get pay_1", ""],
  ["get pay_1 --mode live", " --mode live"],
  [
    "get --mode=live pay_1 --base-url https://a.example/x",
    " --mode live --base-url https://a.example/x",
  ],
  ["get pay_1 --allow-http --json", " --allow-http"],
  ["get pay_1 --api-key-file -", ""],
  ["get pay_1 --database postgres://me:secret@db.example/x --account acct_1", " --account acct_1"],
  ["get pay_1 --account 4242424242424242", ""],
  ["get -- --mode live", ""],
])("the flags of “%s” that reach the same service are “%s”", async (line, flags) => {
  expect(repeatFlags(await parse(line.split(" ")), {})).toBe(flags);
});

test("a value is quoted for a shell", async () => {
  const argv = ["get", "pay_1", "--api-key-file", "/it's a key; $HOME"];
  expect(repeatFlags(await parse(argv), {})).toBe(
    String.raw` --api-key-file '/it'\''s a key; $HOME'`,
  );
});

test("a mode of the environment is repeated, unless a flag names another", async () => {
  expect(repeatFlags(await parse(["get"]), { PAYMENTS_MODE: "live" })).toBe(" --mode live");
  expect(repeatFlags(await parse(["get", "--mode", "test"]), { PAYMENTS_MODE: "live" })).toBe(
    " --mode test",
  );
});
