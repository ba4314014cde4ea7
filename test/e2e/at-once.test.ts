import { describe, expect, it } from "vitest";
import type { PaymentList } from "../../src/contract/list-object.ts";
import { payments, spawnPayments, temporaryFolder } from "../testkit/command/installed-command.ts";

const aPayment = [
  "create",
  "--amount",
  "4999",
  "--currency",
  "eur",
  "--test-card",
  "visa",
  "--json",
];

describe("many commands at once on one embedded database", () => {
  it("creates 16 payments from 16 processes started together on an empty home", async () => {
    const home = temporaryFolder();
    const runs = await Promise.all(
      Array.from({ length: 16 }, async () => payments(home, ...aPayment)),
    );
    expect(runs.filter(({ status }) => status !== 0)).toEqual([]);
    const list = await payments(home, "list", "--limit", "100", "--json");
    const { data } = JSON.parse(list.stdout) as PaymentList;
    const created = runs.map(({ stdout }) => (JSON.parse(stdout) as { id: string }).id);
    expect(data.map(({ id }) => id).toSorted()).toEqual(created.toSorted());
  });

  it("makes one payment of two processes that race one idempotency key", async () => {
    const home = temporaryFolder();
    for (const key of ["race-1", "race-2"]) {
      const racing = [...aPayment, "--idempotency-key", key];
      const [one, other] = await Promise.all([
        payments(home, ...racing),
        payments(home, ...racing),
      ]);
      expect([one.status, other.status]).toEqual([0, 0]);
      expect(one.stdout).toBe(other.stdout);
    }
    const list = await payments(home, "list", "--json");
    expect((JSON.parse(list.stdout) as PaymentList).data).toHaveLength(2);
  });
});

describe("a payment left pending by a process that was killed", () => {
  it("is failed soon, when later commands look at it", async () => {
    const home = temporaryFolder();
    const argv = ["create", "--amount", "100", "--currency", "usd", "--test-card", "expired-card"];
    const waiting = spawnPayments(home, [...argv, "--wait", "--debug"]);
    let told = "";
    waiting.stderr?.on("data", (chunk: Buffer) => (told += chunk.toString()));
    await expect.poll(() => told).toContain("< 201");
    waiting.kill("SIGKILL");
    // A process that was killed just when it settled the payment had taken it for 2 s.
    const look = async () => {
      const { stdout } = await payments(home, "list", "--json");
      return (JSON.parse(stdout) as PaymentList).data;
    };
    await expect
      .poll(look, { interval: 200 })
      .toMatchObject([{ status: "failed", decline_code: "expired_card" }]);
  });
});
