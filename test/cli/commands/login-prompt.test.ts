import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readLogin } from "../../../src/cli/config/profile.ts";
import { runningService } from "../../testkit/client/running-service.ts";
import { keyringOfHome } from "../../testkit/command/memory-keyring.ts";
import { createTemporaryHome, someKeys } from "../../testkit/command/temporary-home.ts";
import { runInTerminal, keys, requireTerminals } from "../../testkit/command/in-terminal.ts";

const service = runningService();

describe.concurrent("payments login in a terminal", () => {
  requireTerminals();
  test("reads the key from a prompt that does not show it", async () => {
    const home = createTemporaryHome();
    const terminal = runInTerminal(["login", "--base-url", service.url], { home });
    await terminal.appears("API key:");
    terminal.type(service.keys.test + keys.enter);
    expect(await terminal.exitCode).toBe(0);
    expect(terminal.screen()).not.toContain(service.keys.test.slice(12, -4));
    expect(terminal.screen()).toContain(`the test key …${service.keys.test.slice(-4)}`);
    const stored = readLogin({ config: home, data: home }, "test", keyringOfHome);
    expect(stored?.baseUrl).toBe(service.url);
    expect(stored?.key.value()).toBe(service.keys.test);
  });

  test("asks for a missing base URL", async () => {
    const home = createTemporaryHome();
    const terminal = runInTerminal(["login"], { home });
    await terminal.appears("Base URL of the service:");
    terminal.type(service.url + keys.enter);
    await terminal.appears("API key:");
    terminal.type(service.keys.live + keys.enter);
    expect(await terminal.exitCode).toBe(0);
    expect(readLogin({ config: home, data: home }, "live", keyringOfHome)?.baseUrl).toBe(
      service.url,
    );
  });

  test("neither stores nor shows a rejected or malformed key: exit 4", async () => {
    for (const key of [someKeys.live, someKeys.live.slice(0, -1)]) {
      const home = createTemporaryHome();
      const terminal = runInTerminal(["login", "--base-url", service.url], { home });
      await terminal.appears("API key:");
      terminal.type(key + keys.enter);
      expect(await terminal.exitCode).toBe(4);
      expect(terminal.screen()).not.toContain(key.slice(12, -4));
      expect(readdirSync(home)).toEqual([]);
    }
  });

  test("with ACCESSIBLE shows neither the key nor an escape sequence", async () => {
    const env = { ACCESSIBLE: "1" };
    const home = createTemporaryHome();
    const terminal = runInTerminal(["login"], { home, env });
    await terminal.appears("Base URL of the service:");
    terminal.type(service.url + keys.enter);
    await terminal.appears("API key:");
    terminal.type(service.keys.test + keys.enter);
    expect(await terminal.exitCode).toBe(0);
    expect(terminal.screen()).not.toContain(service.keys.test.slice(12, -4));
    expect(terminal.screen()).not.toContain("\u001B");
    expect(readLogin({ config: home, data: home }, "test", keyringOfHome)?.baseUrl).toBe(
      service.url,
    );
  });

  test.each(["controlC", "controlD"] as const)(
    "exits with 10 after %s, and stores nothing",
    async (key) => {
      const home = createTemporaryHome();
      const [atUrl, atKey] = [
        runInTerminal(["login"], { home }),
        runInTerminal(["login", "--base-url", service.url], { home }),
      ];
      await atUrl.appears("Base URL of the service:");
      atUrl.type(keys[key]);
      await atKey.appears("API key:");
      atKey.type(keys[key]);
      expect(await atUrl.exitCode).toBe(10);
      expect(await atKey.exitCode).toBe(10);
      expect(readdirSync(home)).toEqual([]);
    },
  );
});
