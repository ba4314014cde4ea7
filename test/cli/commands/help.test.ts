import { describe, expect, test } from "vitest";
import { commands } from "../../testkit/command/built-commands.ts";
import { runInTerminal, requireTerminals } from "../../testkit/command/in-terminal.ts";
import { parseError, runPayments, parsePrinted } from "../../testkit/command/run-payments.ts";
import manifest from "../../../package.json" with { type: "json" };
import { testCards } from "../../../src/contract/card.ts";

const escape = "\u001B";

describe.concurrent("help", () => {
  test.each([
    [["help", "refund"]],
    [["refund", "--help"]],
    [["refund", "-h"]],
    [["refund", "pay_1", "--yes", "--help"]],
    [["help", "refund", "--help"]],
  ])("by %j shows a command's usage, arguments, flags and examples", async (argv) => {
    const { stdout, stderr, exitCode } = await runPayments(argv);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout).toMatch(/^Refund a succeeded payment/);
    expect(stdout).toContain("\nUSAGE\n  payments refund [id] [flags]\n");
    expect(stdout).toMatch(/\nARGUMENTS\n {2}\[id\] +The id/);
    expect(stdout).toMatch(/\nFLAGS\n[^]*? {2}-y, --yes +Do not ask/);
    expect(stdout).toMatch(/\nCONNECTION FLAGS\n {2}--mode test\|live +Test or live data\./);
    expect(stdout).toMatch(/\nEXAMPLES\n {2}\$ payments refund\n {2}\$ payments refund pay_/);
  });

  test.each([[["help"]], [[]], [["--help"]], [["-h"]]])(
    "by %j lists the commands in the order in which a user needs them",
    async (argv) => {
      const { stdout, stderr, exitCode } = await runPayments(argv);
      expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
      const listed = [...stdout.matchAll(/^ {2}([a-z][a-z-]*) {2,}[A-Z]/gm)].map(
        ([, name]) => name,
      );
      expect(listed.slice(0, 5)).toEqual(["create", "get", "explain", "list", "refund"]);
      expect(listed.slice(-3)).toEqual(["completion", "licenses", "help"]);
      expect(new Set(listed)).toEqual(new Set(commands.map(({ words }) => words[0])));
      for (const part of [
        "USAGE\n  payments <command>",
        "EXAMPLES",
        "help exit-codes",
        "README.md",
      ]) {
        expect(stdout).toContain(part);
      }
    },
  );

  test.each([[["keys"]], [["help", "keys"]], [["keys", "--help"]]])(
    "by %j lists the commands of a group",
    async (argv) => {
      const { stdout, stderr, exitCode } = await runPayments(argv);
      expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
      expect(stdout).toContain("\nUSAGE\n  payments keys <command>\n");
      expect(stdout).toMatch(
        /\nCOMMANDS\n {2}create .+\n {2}list .+\n {2}roll .+\n {2}revoke .+\n/,
      );
    },
  );

  test.each([
    [["help", "keys", "create"], "Create an API key."],
    [["keys", "create", "--help"], "Create an API key."],
    [["keys:create", "--help"], "Create an API key."],
    [["help", "--help"], "Show how a command is used."],
    [["help", "exit-codes"], "What each exit code means"],
    [["help", "environment"], "The variables that commands read."],
  ])("by %j is about that", async (argv, start) => {
    const { stdout, stderr, exitCode } = await runPayments(argv);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout.startsWith(start)).toBe(true);
  });

  test("shows a flag's values and default", async () => {
    const { stdout } = await runPayments(["serve", "--help"]);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(
      "Which logs to write. One of trace, debug, info, warn, error, silent. Default: info.",
    );
    expect((await runPayments(["keys", "create", "--help"])).stdout).toContain("Required.");
  });

  test.each([
    [["help", "nosuch"], "Unknown command: payments nosuch.", "payments help lists the commands."],
    [["help", "lst"], "Unknown command: payments lst.", "Did you mean payments list?"],
    [["lst", "--help"], "Unknown command: payments lst.", "Did you mean payments list?"],
    [
      ["help", "keys", "crate"],
      "Unknown command: payments keys crate.",
      "Did you mean payments keys create?",
    ],
  ])("for %j is an error, with what may have been meant", async (argv, message, hint) => {
    expect(await runPayments(argv)).toEqual({
      stdout: "",
      stderr: `Error: ${message}\n  hint: ${hint}\n`,
      exitCode: 2,
    });
    expect(parseError(await runPayments([...argv, "--json"]))).toMatchObject({ code: "usage" });
  });

  test("of every command fits into 80 columns, except for examples and other lines to copy", async () => {
    for (const argv of [[], ...commands.map(({ words }) => words)]) {
      const { stdout } = await runPayments(["help", ...argv]);
      const wide = stdout
        .split("\n")
        .filter((line) => line.length > 80 && !/^ {2}(?:\$ )?payments/.test(line));
      expect(wide).toEqual([]);
    }
  });
});

describe.concurrent("help in a terminal", () => {
  requireTerminals();
  test("is coloured, and as wide as the terminal up to 100 columns", async () => {
    const terminal = runInTerminal(["help", "create"]);
    expect(await terminal.exitCode).toBe(0);
    expect(terminal.screen()).toContain(`${escape}[1mUSAGE`);
    const plain = terminal.screen().replaceAll(/\p{Cc}\[\d+m/gu, "");
    const widths = plain
      .split(/\r?\n/)
      .filter((line) => !line.startsWith("  $"))
      .map((line) => line.length);
    expect(Math.max(...widths)).toBeGreaterThan(80);
    expect(Math.max(...widths)).toBeLessThanOrEqual(100);
  });
});

test.concurrent.each([
  ["bash", "complete -F __payments payments\n"],
  ["zsh", "#compdef payments\n"],
  ["fish", "complete -c payments -f\n"],
])("payments completion %s prints its script and nothing else", async (shell, line) => {
  const { stdout, stderr, exitCode } = await runPayments(["completion", shell]);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  expect(stdout).toContain(line);
  expect(stdout).not.toContain("undefined");
});

test.each(["--version", "-v", "-V", "version"])("%s prints the version", async (flag) => {
  expect(await runPayments([flag])).toEqual({
    stdout: `${manifest.name}/${manifest.version} ${process.platform}-${process.arch} node-${process.version}\n`,
    stderr: "",
    exitCode: 0,
  });
});

describe.concurrent("payments test-cards", () => {
  test("lists every card with its outcome", async () => {
    const { stdout, stderr, exitCode } = await runPayments(["test-cards"]);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^NAME +NUMBER +BRAND +OUTCOME$/);
    expect(lines).toHaveLength(testCards.length + 1);
    expect(stdout).toMatch(/\nvisa +4242424242424242 +visa +succeeded\n/);
    expect(stdout).toMatch(/\nexpired-card +4000000000000069 +visa +expired_card\n/);
    expect(stdout).toMatch(
      /\nrefund-declined +4000000000005126 +visa +succeeded, refund declined\n/,
    );
    expect(stdout).toMatch(/\nauthentication-required +4000002760003184 +visa +authentication_re/);
  });

  test("prints a list with --json", async () => {
    expect(parsePrinted(await runPayments(["test-cards", "--json"]))).toEqual({
      object: "list",
      data: testCards,
    });
  });
});
