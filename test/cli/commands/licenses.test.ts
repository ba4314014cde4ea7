import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../testkit/command/built-commands.ts";
import { parsePrinted, runPayments } from "../../testkit/command/run-payments.ts";

test("payments licenses lists each package in the program with its license", async () => {
  const printed = parsePrinted(await runPayments(["licenses", "--json"]));
  expect(printed).toMatchObject({ object: "list" });
  const { data } = printed as { data: object[] };
  const { version } = JSON.parse(
    readFileSync(join(root, "node_modules/fastify/package.json"), "utf8"),
  ) as { version: string };
  expect(data).toContainEqual({ name: "fastify", version, license: "MIT" });
  expect(data).toContainEqual(expect.objectContaining({ name: "@inquirer/core" }));
});

test("payments licenses --texts prints the texts alone", async () => {
  const { stdout, exitCode } = await runPayments(["licenses", "--texts"]);
  expect(exitCode).toBe(0);
  expect(stdout).toBe(readFileSync(join(root, "dist/THIRD-PARTY-LICENSES.txt"), "utf8"));
  expect(await runPayments(["licenses", "--texts", "--json"])).toMatchObject({ exitCode: 2 });
});
