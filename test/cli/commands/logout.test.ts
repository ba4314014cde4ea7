import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readLogin, storeLogin } from "../../../src/cli/config/profile.ts";
import { keyringOfHome } from "../../testkit/command/memory-keyring.ts";
import { createTemporaryHome, someKeys } from "../../testkit/command/temporary-home.ts";
import { parsePrinted, runPayments } from "../../testkit/command/run-payments.ts";

const baseUrl = "https://payments.example.com";

function createLoggedInHome() {
  const home = createTemporaryHome();
  const directories = { config: home, data: home };
  storeLogin(directories, "test", { baseUrl, key: someKeys.test }, keyringOfHome);
  storeLogin(directories, "live", { baseUrl, key: someKeys.live }, keyringOfHome);
  return { home, directories };
}

describe.concurrent("payments logout", () => {
  test("deletes the key of the current mode, but not the other one", async () => {
    const { home, directories } = createLoggedInHome();
    expect(await runPayments(["logout"], { home })).toEqual({
      stdout: "",
      stderr: `Deleted the test key.\nCommands in test mode now use the embedded service.\nThe live key is still stored.\n`,
      exitCode: 0,
    });
    expect(readLogin(directories, "test", keyringOfHome)).toBeUndefined();
    expect(readLogin(directories, "live", keyringOfHome)?.key.value()).toBe(someKeys.live);
  });

  test("notes after the last key that commands use the embedded service again", async () => {
    const { home } = createLoggedInHome();
    await runPayments(["logout"], { home });
    const ran = await runPayments(["logout", "--mode", "live"], { home });
    expect(ran).toMatchObject({
      stderr: `Deleted the live key.\nCommands now use the embedded service.\n`,
      exitCode: 0,
    });
    const offline = await runPayments(["whoami", "--offline", "--json"], { home });
    expect(parsePrinted(offline)).toMatchObject({ base_url: "embedded" });
  });

  test("notes nothing about the embedded service if the environment names another one", async () => {
    const { home } = createLoggedInHome();
    const env = { PAYMENTS_BASE_URL: baseUrl };
    await runPayments(["logout", "--mode", "live"], { home, env });
    const ran = await runPayments(["logout"], { home, env });
    expect(ran).toEqual({ stdout: "", stderr: "Deleted the test key.\n", exitCode: 0 });
  });

  test("succeeds without a stored key, and notes it", async () => {
    const ran = await runPayments(["logout"]);
    expect(ran).toMatchObject({ stdout: "", exitCode: 0 });
    expect(ran.stderr).toBe("There is no stored test key.\nCommands use the embedded service.\n");
  });

  test("deletes a damaged login too", async () => {
    const { home } = createLoggedInHome();
    writeFileSync(join(home, "login-test.json"), "damaged");
    expect((await runPayments(["list"], { home })).exitCode).toBe(9);
    expect(await runPayments(["logout"], { home })).toMatchObject({ exitCode: 0 });
    expect(await runPayments(["list", "--json"], { home })).toMatchObject({ exitCode: 0 });
  });
});
