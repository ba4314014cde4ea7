import { spawn } from "node:child_process";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { someKeys } from "../../testkit/command/temporary-home.ts";
import { hasTerminals, runInTerminal, noTerminals } from "../../testkit/command/in-terminal.ts";
import { runInThisProcess } from "../../testkit/command/in-this-process.ts";
import {
  createEnvironment,
  runInShell,
  launcher,
  parsePrinted,
  waitForEnd,
} from "../../testkit/command/run-payments.ts";

test("the command waits for a late key", async () => {
  const readStarted = Promise.withResolvers<void>();
  const stdin = new Readable({ read: () => readStarted.resolve() });
  const argv = ["whoami", "--api-key-file", "-", "--offline", "--json"];
  const ran = runInThisProcess(argv, createEnvironment({}), stdin);
  await readStarted.promise;
  stdin.push(`${someKeys.live}\n`);
  stdin.push(null);
  expect(parsePrinted(await ran)).toMatchObject({
    mode: "live",
    key: { source: "standard input" },
  });
});

test("the command waits for late input from a pipe", async () => {
  const argv = [launcher, "create", "--data", "-", "--dry-run", "--json"];
  const child = spawn(process.execPath, argv, { env: createEnvironment({}) });
  const ran = waitForEnd(child);
  // Larger than the pipe's buffer: once it is written, the command has read most of it and waits for the rest.
  await new Promise((resolve) => child.stdin.write(" ".repeat(1_000_000), resolve));
  child.stdin.end('{"amount":1}');
  expect(parsePrinted(await ran)).toMatchObject({ body: { amount: 1 } });
});

test("a key without an end is refused", async () => {
  const ran = await runInShell("payments whoami --api-key-file - --offline < /dev/zero");
  expect(ran).toMatchObject({ stdout: "", exitCode: 2 });
  expect(ran.stderr).toContain("larger than 4 KiB");
});

test("a key cannot be typed in a terminal that shows it", async ({ skip }) => {
  skip(!hasTerminals, noTerminals);
  const terminal = runInTerminal(["whoami", "--api-key-file", "-", "--offline"]);
  expect(await terminal.exitCode).toBe(2);
  expect(terminal.screen()).toContain("hidden prompt of payments login");
});
