import { describe, expect, test } from "vitest";
import { requireTerminals, toNodeLine, openTerminal } from "../../testkit/command/in-terminal.ts";
import {
  createServiceEnv,
  createEnvironment,
  launcher,
} from "../../testkit/command/run-payments.ts";

describe("a prompt that SIGTERM ends", () => {
  requireTerminals();
  test("restores the terminal's cursor and echo", async () => {
    const env = { ...createServiceEnv("http://127.0.0.1:1"), PAYMENTS_API_KEY: undefined };
    const login = toNodeLine([launcher, "login"]);
    const terminal = openTerminal(
      `sh -c "echo pid=\\$\\$.; exec ${login}"; echo ended=$?; stty -a`,
      {
        cwd: "/",
        env: createEnvironment({ env }),
      },
    );
    await terminal.appears("API key:");
    expect(isCursorShown(terminal.screen())).toBe(false);
    process.kill(Number(/pid=(\d+)\./.exec(terminal.screen())?.[1]), "SIGTERM");
    await terminal.appears("ended=143");
    expect(isCursorShown(terminal.screen())).toBe(true);
    await terminal.appears("icanon iexten echo ");
  });
});

function isCursorShown(screen: string): boolean {
  return screen.lastIndexOf("\u001B[?25h") >= screen.lastIndexOf("\u001B[?25l");
}
