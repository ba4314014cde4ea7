import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { scriptedServer, silence } from "../../testkit/client/scripted-server.ts";
import { newHome } from "../../testkit/command/temporary-home.ts";
import { inTerminal, needTerminals } from "../../testkit/command/in-terminal.ts";
import { against, errorIn, inShell, runPayments } from "../../testkit/command/run-payments.ts";

// A command that waits for what nobody can be asked for would hang in a script, and here.

describe.concurrent("with standard input from /dev/null, what is missing is named: exit 2 for", () => {
  test.each<[command: string, missing: string]>([
    ["refund", "Missing the id of the payment. A refund also needs --yes"],
    ["refund --yes", "Missing the id of the payment.\n"],
    ["create", "Missing --amount"],
    ["login", "Missing --base-url"],
    ["login --base-url", "No key arrived on standard input"],
  ])("payments %s", async (command, missing) => {
    const home = newHome();
    const server = await scriptedServer(silence);
    const isLogin = command.startsWith("login");
    const url = command.endsWith("-url") ? server.url : "";
    const env = isLogin ? {} : against(server.url);
    const ran = await inShell(`payments ${command} ${url} < /dev/null`, { home, env });
    expect(ran).toMatchObject({ stdout: "", exitCode: 2 });
    expect(ran.stderr).toContain(`Error: ${missing}`);
    expect(ran.stderr).not.toContain("?");
    expect(server.requests).toEqual([]);
    expect(readdirSync(home)).toEqual([]);
  });
});

describe.concurrent("with --json the same is one line of JSON: exit 2 for", () => {
  test.each([
    ["refund", "Missing the id of the payment"],
    ["create", "Missing --amount"],
    ["login", "--json"], // it prints no data, and so has no such flag
  ])("payments %s", async (command, named) => {
    const server = await scriptedServer(silence);
    const ran = await runPayments([command, "--json"], { env: against(server.url) });
    expect(ran.exitCode).toBe(2);
    expect(errorIn(ran)).toMatchObject({ type: "cli_error", code: "usage", retryable: false });
    expect(errorIn(ran)["message"]).toContain(named);
    expect(server.requests).toEqual([]);
  });
});

describe.concurrent("in a terminal where nobody is to be asked, login names what is missing: exit 2", () => {
  needTerminals();
  test.each<[string[], Record<string, string>]>([
    [["--no-input"], {}],
    [[], { CI: "1" }],
  ])("with %j %j", async (flags, env) => {
    const terminal = inTerminal(["login", ...flags], { env });
    expect(await terminal.exitCode).toBe(2);
    expect(terminal.screen()).toContain("Missing --base-url");
    expect(terminal.screen()).not.toContain("?");
  });
});
