import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { someKeys } from "../settings/temporary-home.ts";
import { hasTerminals, inTerminal } from "./in-terminal.ts";
import { environment, inShell, launcher, runPayments } from "./run-payments.ts";

test("a key that comes late through a pipe is waited for", async () => {
  const argv = [launcher, "whoami", "--api-key-file", "-", "--offline", "--json"];
  const child = spawn(process.execPath, argv, { env: environment({}) });
  await delay(1_000);
  child.stdin.end(`${someKeys.live}\n`);
  const told = JSON.parse(await text(child.stdout)) as object;
  expect(told).toMatchObject({ mode: "live", key: { source: "standard input" } });
});

test("standard input can hold the key or the card, not both", async () => {
  const argv = ["create", "--amount", "1", "--currency", "eur", "--api-key-file", "-"];
  const ran = await runPayments([...argv, "--card-file", "-"], { stdin: someKeys.test });
  expect(ran).toMatchObject({ stdout: "", exitCode: 2 });
  expect(ran.stderr).toContain("only one of --api-key-file and --card-file");
});

test("a key that never ends is given up", async () => {
  const ran = await inShell("payments whoami --api-key-file - --offline < /dev/zero");
  expect(ran).toMatchObject({ stdout: "", exitCode: 2 });
  expect(ran.stderr).toContain("larger than 4 KiB");
});

test.skipIf(!hasTerminals)("a key is not typed where the terminal shows it", async () => {
  const terminal = inTerminal(["whoami", "--api-key-file", "-", "--offline"]);
  expect(await terminal.exitCode).toBe(2);
  expect(terminal.screen()).toContain("hidden prompt of payments login");
});
