import { describe, expect, test } from "vitest";
import { storeLogin } from "../../../src/cli/config/profile.ts";
import { keyringOfHome } from "../../testkit/command/memory-keyring.ts";
import { createTemporaryHome, someKeys } from "../../testkit/command/temporary-home.ts";
import { parsePrinted, parsePayment, runPayments } from "../../testkit/command/run-payments.ts";

describe.concurrent("payments mode", () => {
  test("is test by default, and stays as switched", async () => {
    const home = createTemporaryHome();
    expect(await runPayments(["mode"], { home })).toEqual({
      stdout: "test\n",
      stderr: "",
      exitCode: 0,
    });
    expect((await runPayments(["mode", "live"], { home })).stdout).toBe("live\n");
    expect(parsePrinted(await runPayments(["mode", "--json"], { home }))).toEqual({ mode: "live" });
    const visa = ["create", "--amount", "1", "--currency", "eur", "--test-card", "visa", "--json"];
    expect(parsePayment(await runPayments(visa, { home })).livemode).toBe(true);
    expect((await runPayments(["mode", "test"], { home })).stdout).toBe("test\n");
    expect((await runPayments(["mode"], { home })).stdout).toBe("test\n");
  });

  test("notes that the environment overrides the stored mode", async () => {
    const home = createTemporaryHome();
    const env = { PAYMENTS_MODE: "test" };
    expect(await runPayments(["mode", "live"], { home, env })).toEqual({
      stdout: "test\n",
      stderr: "Stored live, but the environment sets test here.\n",
      exitCode: 0,
    });
    expect((await runPayments(["mode"], { home })).stdout).toBe("live\n");
  });

  test("stores nothing if the environment names an invalid mode", async () => {
    const home = createTemporaryHome();
    const ran = await runPayments(["mode", "live"], { home, env: { PAYMENTS_MODE: "lve" } });
    expect({ ...ran, stderr: ran.stderr.includes("PAYMENTS_MODE") }).toEqual({
      stdout: "",
      stderr: true,
      exitCode: 2,
    });
    expect((await runPayments(["mode"], { home })).stdout).toBe("test\n");
  });

  test("notes that commands now use the embedded service if only the other mode has a login", async () => {
    const home = createTemporaryHome();
    const baseUrl = "https://payments.example.com";
    const login = { baseUrl, key: someKeys.test };
    storeLogin({ config: home, data: home }, "test", login, keyringOfHome);
    expect(await runPayments(["mode", "live"], { home })).toEqual({
      stdout: "live\n",
      stderr: "No live key is stored: commands now use the embedded service.\n",
      exitCode: 0,
    });
    const stays = [
      runPayments(["mode", "test"], { home }),
      runPayments(["mode", "live"], { home, env: { PAYMENTS_BASE_URL: baseUrl } }),
      runPayments(["mode", "live", "--json"], { home }),
      runPayments(["mode", "live"], { home: createTemporaryHome() }),
    ];
    expect((await Promise.all(stays)).map(({ stderr }) => stderr)).toEqual(["", "", "", ""]);
  });

  test("notes nothing about a missing key if the environment names the service", async () => {
    const env = { PAYMENTS_BASE_URL: "https://payments.example.com" };
    const ran = await runPayments(["mode", "live"], { env });
    expect(ran).toEqual({ stdout: "live\n", stderr: "", exitCode: 0 });
  });

  test("shows the mode of a key in the environment", async () => {
    const ran = await runPayments(["mode"], { env: { PAYMENTS_API_KEY: someKeys.live } });
    expect(ran.stdout).toBe("live\n");
  });

  test("is never switched by standard input", async () => {
    const home = createTemporaryHome();
    expect((await runPayments(["mode"], { home, stdin: "live\n" })).stdout).toBe("test\n");
    expect((await runPayments(["mode"], { home })).stdout).toBe("test\n");
  });
});
