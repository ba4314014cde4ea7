import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { scriptedServer, silence } from "../../testkit/client/scripted-server.ts";
import { createTemporaryHome } from "../../testkit/command/temporary-home.ts";
import {
  runInTerminal,
  requireTerminals,
  type TerminalOptions,
} from "../../testkit/command/in-terminal.ts";
import { createServiceEnv } from "../../testkit/command/run-payments.ts";

const commands: [args: string[], missing: string][] = [
  [["refund"], "Missing the id of the payment."],
  [["refund", "pay_1"], "--yes"],
  [["create"], "Missing --amount"],
];

/** Reasons not to prompt although there is a terminal. */
const ways: [name: string, flags: string[], options: TerminalOptions][] = [
  ["CI is set", [], { env: { CI: "1" } }],
  ["--no-input says so", ["--no-input"], {}],
  ["the output is JSON", ["--json"], {}],
  ["standard input is no terminal", [], { stdinFrom: "/dev/null" }],
];

describe.concurrent("without a user to prompt the command exits with 2 and asks nothing:", () => {
  requireTerminals();
  test.each<[string[], Record<string, string>]>([
    [["--no-input"], {}],
    [[], { CI: "1" }],
  ])("payments login, with %j %j", async (flags, env) => {
    const terminal = runInTerminal(["login", ...flags], { env });
    expect(await terminal.exitCode).toBe(2);
    expect(terminal.screen()).toContain("Missing --base-url");
    expect(terminal.screen()).not.toContain("?");
  });

  test.each(
    ways.flatMap(([name, flags, options]) =>
      commands.map(
        ([args, missing]) => [args.join(" "), name, { flags, options, args, missing }] as const,
      ),
    ),
  )("payments %s, when %s", async (_, _name, { args, flags, options, missing }) => {
    const server = await scriptedServer(silence);
    const env = { ...createServiceEnv(server.url), ...options.env };
    const terminal = runInTerminal([...args, ...flags], { ...options, env });
    expect(await terminal.exitCode).toBe(2);
    expect(terminal.screen()).toContain(missing);
    expect(terminal.screen()).not.toContain("?");
    expect(server.requests).toEqual([]);
  });

  test.each(commands)("payments %j, when standard error is a file", async (args, missing) => {
    const server = await scriptedServer(silence);
    const stderrTo = join(createTemporaryHome(), "stderr.txt");
    const terminal = runInTerminal(args, { env: createServiceEnv(server.url), stderrTo });
    expect(await terminal.exitCode).toBe(2);
    expect(terminal.screen()).toBe("");
    expect(readFileSync(stderrTo, "utf8")).toContain(missing);
    expect(server.requests).toEqual([]);
  });
});
