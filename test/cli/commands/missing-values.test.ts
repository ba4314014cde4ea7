import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { scriptedServer, silence } from "../../testkit/client/scripted-server.ts";
import { createTemporaryHome } from "../../testkit/command/temporary-home.ts";
import { createServiceEnv, runInShell } from "../../testkit/command/run-payments.ts";

// A command that waited for input without a user would hang in a script, and here.

describe.concurrent("with standard input from /dev/null the error names the missing value: exit 2 for", () => {
  test.each<[command: string, missing: string]>([
    ["refund", "Missing the id of the payment. A refund also needs --yes"],
    ["refund --yes", "Missing the id of the payment.\n"],
    ["create", "Missing --amount"],
    ["login", "Missing --base-url"],
    ["login --base-url", "No key arrived on standard input"],
  ])("payments %s", async (command, missing) => {
    const home = createTemporaryHome();
    const server = await scriptedServer(silence);
    const isLogin = command.startsWith("login");
    const url = command.endsWith("-url") ? server.url : "";
    const env = isLogin ? {} : createServiceEnv(server.url);
    const ran = await runInShell(`payments ${command} ${url} < /dev/null`, { home, env });
    expect(ran).toMatchObject({ stdout: "", exitCode: 2 });
    expect(ran.stderr).toContain(`Error: ${missing}`);
    expect(ran.stderr).not.toContain("?");
    expect(server.requests).toEqual([]);
    expect(readdirSync(home)).toEqual([]);
  });
});
