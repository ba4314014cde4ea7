import { describe, expect, test } from "vitest";
import { needTerminals, nodeLine, terminalRunning } from "../../testkit/command/in-terminal.ts";
import { against, environment, launcher } from "../../testkit/command/run-payments.ts";

describe("a prompt that SIGTERM ends", () => {
  needTerminals();
  test("restores the terminal's cursor and echo", async () => {
    const env = { ...against("http://127.0.0.1:1"), PAYMENTS_API_KEY: undefined };
    const login = nodeLine([launcher, "login"]);
    const terminal = terminalRunning(
      `sh -c "echo pid=\\$\\$.; exec ${login}"; echo ended=$?; stty -a`,
      {
        cwd: "/",
        env: environment({ env }),
      },
    );
    await terminal.appears("API key:");
    expect(cursorIsShown(terminal.screen())).toBe(false);
    process.kill(Number(/pid=(\d+)\./.exec(terminal.screen())?.[1]), "SIGTERM");
    await terminal.appears("ended=143");
    expect(cursorIsShown(terminal.screen())).toBe(true);
    await terminal.appears("icanon iexten echo ");
  });
});

function cursorIsShown(screen: string): boolean {
  return screen.lastIndexOf("\u001B[?25h") >= screen.lastIndexOf("\u001B[?25l");
}
