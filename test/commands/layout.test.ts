import { describe, expect, test } from "vitest";
import { json, paymentWith, refusal, scriptedServer } from "../client/scripted-server.ts";
import { hasTerminals, inTerminal } from "./in-terminal.ts";
import { against, errorIn, runPayments } from "./run-payments.ts";

const payment = paymentWith({ status: "failed" });

async function get(env: Record<string, string>) {
  const server = await scriptedServer(json(200, payment));
  return await runPayments(["get", "pay_1"], { env: { ...against(server.url), ...env } });
}

describe.concurrent("colour", () => {
  test("is not sent into a pipe", async () => {
    expect((await get({ TERM: "xterm" })).stdout).not.toContain("\u001B");
  });

  test("is sent where FORCE_COLOR asks for it", async () => {
    expect((await get({ FORCE_COLOR: "1" })).stdout).toContain("\u001B[31mfailed\u001B[39m");
  });

  test.each([
    ["NO_COLOR", "1"],
    ["TERM", "dumb"],
    ["ACCESSIBLE", "1"],
  ])("is never sent with %s=%s", async (name, value) => {
    expect((await get({ FORCE_COLOR: "1", [name]: value })).stdout).not.toContain("\u001B");
  });

  test("is kept out of the errors in the same way", async () => {
    const server = await scriptedServer(refusal(404, "resource_missing"));
    const env = { ...against(server.url), FORCE_COLOR: "1" };
    const [coloured, plain] = await Promise.all([
      runPayments(["get", "pay_1"], { env }),
      runPayments(["get", "pay_1"], { env: { ...env, NO_COLOR: "1" } }),
    ]);
    expect(coloured.stderr).toContain("\u001B[31m");
    expect(plain.stderr).toMatch(/^Error: It went wrong\.\n/);
    const asJson = await runPayments(["get", "pay_1", "--json"], {
      env: { ...env, NO_COLOR: "1" },
    });
    expect(errorIn(asJson)["code"]).toBe("resource_missing");
  });
});

describe.skipIf(!hasTerminals).concurrent("in a terminal", () => {
  test("a status has its colour", async () => {
    const server = await scriptedServer(json(200, payment));
    const terminal = inTerminal(["get", "pay_1"], { env: against(server.url) });
    expect(await terminal.exitCode).toBe(0);
    expect(terminal.screen()).toContain("\u001B[31mfailed\u001B[39m");
  });

  test("JSON is indented, and the same data", async () => {
    const server = await scriptedServer(json(200, payment));
    const terminal = inTerminal(["get", "pay_1", "--json"], { env: against(server.url) });
    expect(await terminal.exitCode).toBe(0);
    expect(terminal.screen()).toContain('\n  "object": "payment",');
    expect(JSON.parse(terminal.screen())).toEqual(payment);
  });

  test("an error ends with its exit code", async () => {
    const server = await scriptedServer(refusal(404, "resource_missing"));
    const terminal = inTerminal(["get", "pay_1"], { env: against(server.url) });
    expect(await terminal.exitCode).toBe(5);
    expect(terminal.screen()).toContain("It went wrong.");
  });
});
