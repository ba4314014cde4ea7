import { spawn, spawnSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../testkit/command/built-commands.ts";
import { launcher, runPayments, waitForEnd } from "../testkit/command/run-payments.ts";
import { needs } from "../testkit/runner/needs.ts";
import { createTemporaryHome } from "../testkit/temporary.ts";

const page = readFileSync(join(root, "docs/agents.md"), "utf8");

/** Every command line of the page, in its order. */
const lines = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = ""]) =>
  block.trimEnd().split("\n"),
);

test("payments help agents prints the page, which is short and begins as a skill does", async () => {
  expect((await runPayments(["help", "agents"])).stdout).toBe(page);
  expect(page).toMatch(/^---\nname: payments\ndescription: [^\n]{50,1000}\n---\n/);
  expect(page.split("\n").length).toBeLessThanOrEqual(151);
});

needs(spawnSync("jq", ["--version"]).status === 0, "jq");

test("every command line of docs/agents.md runs, in a shell that has nothing else", async () => {
  const folder = createTemporaryHome();
  const program = join(folder, "payments");
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${launcher}' "$@"\n`);
  chmodSync(program, 0o755);
  const env = { PATH: `${folder}:${process.env["PATH"]}`, HOME: folder };
  const script = lines.map((line, at) => `echo '»${at}'\n${line}`).join("\n");
  const shell = spawn("bash", ["-c", `set -euo pipefail\n${script}`], { cwd: folder, env });
  shell.stdin.end();
  const { stdout, stderr, exitCode } = await waitForEnd(shell);
  const last = Number(stdout.split("»").at(-1)?.split("\n", 1)[0]);
  expect([lines[last], exitCode]).toEqual([lines.at(-1), 0]);
  expect(stdout.match(/exit code \d+/g)).toEqual(["exit code 3", "exit code 6", "exit code 5"]);
  const codes = [...stderr.matchAll(/"error":\{.*?"code":"(\w+)"/g)].map(([, code]) => code);
  expect(codes).toEqual(["not_as_expected", "payment_already_refunded", "resource_missing"]);
});
