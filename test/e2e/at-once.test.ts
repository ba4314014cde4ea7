import { expect, it } from "vitest";
import type { PaymentList } from "../../src/contract/list-object.ts";
import {
  runBuiltPayments,
  spawnPayments,
  createTemporaryFolder,
} from "../testkit/command/installed-command.ts";

const create = ["create", "--amount", "4999", "--currency", "eur", "--test-card"];
const visa = [...create, "visa", "--json"];

async function list(home: string) {
  const { stdout } = await runBuiltPayments(home, "list", "--limit", "100", "--json");
  return (JSON.parse(stdout) as PaymentList).data;
}

it("commands started together in an empty home make one payment each, and one payment for a shared key", async () => {
  const home = createTemporaryFolder();
  const racing = [...visa, "--idempotency-key", "race"];
  const commands = [visa, visa, visa, visa, visa, visa, racing, racing];
  const runs = await Promise.all(commands.map(async (argv) => runBuiltPayments(home, ...argv)));
  expect(runs.filter(({ status }) => status !== 0)).toEqual([]);
  expect(runs.at(-1)?.stdout).toBe(runs.at(-2)?.stdout);
  const created = runs.map(({ stdout }) => (JSON.parse(stdout) as { id: string }).id);
  const listed = (await list(home)).map(({ id }) => id);
  expect(listed.toSorted()).toEqual([...new Set(created)].toSorted());
});

it("a payment left pending by a killed process fails when a later command reads it", async () => {
  const home = createTemporaryFolder();
  const waiting = spawnPayments(home, [...create, "expired-card", "--wait", "--debug"]);
  let stderr = "";
  waiting.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  await expect.poll(() => stderr).toContain("< 201");
  waiting.kill("SIGKILL");
  // A process killed while it settled the payment has a lease of 2 s.
  await expect
    .poll(async () => list(home), { interval: 200 })
    .toMatchObject([{ status: "failed", decline_code: "expired_card" }]);
});
