import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { body, runningService } from "../../testkit/client/running-service.ts";
import { createTemporaryHome } from "../../testkit/command/temporary-home.ts";
import { runInTerminal, keys, requireTerminals } from "../../testkit/command/in-terminal.ts";
import { createServiceEnv } from "../../testkit/command/run-payments.ts";

const service = runningService();

/** Starts the refund of a succeeded payment in a terminal. */
async function startRefund(mode: "test" | "live", flags: string[] = []) {
  const apiKey = service.keys[mode];
  const { payments } = service.client({ apiKey });
  const { id } = await payments.create(body);
  const terminal = runInTerminal(["refund", id, ...flags], {
    env: createServiceEnv(service.url, apiKey),
  });
  return { id, terminal, status: async () => (await payments.retrieve(id)).status };
}

describe.concurrent("payments refund in a terminal", () => {
  requireTerminals();
  test("shows the payment, and refunds it after yes", async () => {
    const { id, terminal, status } = await startRefund("test");
    await terminal.appears("Refund 49.99 EUR?");
    expect(terminal.screen()).toContain(id);
    expect(await status()).toBe("succeeded");
    terminal.type(`yes${keys.enter}`);
    expect(await terminal.exitCode).toBe(0);
    expect(await status()).toBe("refunded");
  });

  test.each(["n", keys.controlC])("refunds nothing after %j: exit 10", async (answer) => {
    const { terminal, status } = await startRefund("test");
    await terminal.appears("Refund 49.99 EUR?");
    terminal.type(answer === keys.controlC ? answer : answer + keys.enter);
    expect(await terminal.exitCode).toBe(10);
    expect(terminal.screen()).toMatch(/Error:.* Canceled; nothing was (refunded|sent)\./);
    expect(await status()).toBe("succeeded");
  });

  test("writes only the refunded payment to standard output", async () => {
    const { payments } = service.client();
    const { id } = await payments.create(body);
    const stdoutTo = join(createTemporaryHome(), "stdout.txt");
    const env = createServiceEnv(service.url, service.keys.test);
    const terminal = runInTerminal(["refund", id], { env, stdoutTo });
    await terminal.appears("Refund 49.99 EUR?");
    terminal.type(`y${keys.enter}`);
    expect(await terminal.exitCode).toBe(0);
    expect(readFileSync(stdoutTo, "utf8")).toMatch(
      new RegExp(`^Payment +${id}\nStatus +refunded\n[^?\u001B]*$`),
    );
  });

  test.each(["49.99 EUR"])(
    "refunds a live payment after the amount is typed: %j",
    async (amount) => {
      const { terminal, status } = await startRefund("live");
      await terminal.appears("Type the amount, 49.99 EUR, to refund it:");
      terminal.type(amount + keys.enter);
      expect(await terminal.exitCode).toBe(0);
      expect(await status()).toBe("refunded");
    },
  );
});
