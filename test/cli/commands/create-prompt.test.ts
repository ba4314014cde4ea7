import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runningService } from "../../testkit/client/running-service.ts";
import { forward, scriptedServer } from "../../testkit/client/scripted-server.ts";
import { createTemporaryHome } from "../../testkit/command/temporary-home.ts";
import {
  runInTerminal,
  keys,
  requireTerminals,
  type Terminal,
} from "../../testkit/command/in-terminal.ts";
import { createServiceEnv } from "../../testkit/command/run-payments.ts";

const service = runningService();
const accessible = { ACCESSIBLE: "1" };
const number = "5555555555554444";
const cvc = "9173";
/** Matches the code as a whole word: the same digits inside an id or a time mean nothing. */
const code = new RegExp(`(?<![0-9a-f-])${cvc}(?![0-9a-f-])`);

/** `payments create` in a terminal, and what it sends. */
async function startCreate(
  args: string[] = [],
  { mode = "test", env = {} }: { mode?: "test" | "live"; env?: Record<string, string> } = {},
) {
  const server = await scriptedServer(forward(service.url));
  const terminal = runInTerminal(["create", ...args], {
    env: { ...createServiceEnv(server.url, service.keys[mode]), ...env },
  });
  return { terminal, requests: server.requests };
}

/** Answers each question once it appears. */
async function answerPrompts(terminal: Terminal, ...answers: [question: string, typed: string][]) {
  for (const [question, typed] of answers) {
    await terminal.appears(question);
    terminal.type(typed);
  }
}

const inTest: [string, string][] = [
  ["Amount in minor units", `4999${keys.enter}`],
  ["Currency:", keys.enter],
  ["Test card:", `anoth${keys.enter}`],
  ["Card number:", number + keys.enter],
  ["Expiry (MM/YY):", `12/40${keys.enter}`],
  ["Security code:", cvc + keys.enter],
];
const inLive: [string, string][] = [
  ...inTest.filter(([question]) => question !== "Test card:"),
  ["Charge 49.99 EUR in live mode?", `y${keys.enter}`],
];
/** As above, for prompts with numbered choices. */
const toNumberedAnswers = (answers: [string, string][]) =>
  answers.map(([question, typed]): [string, string] => {
    if (question === "Currency:") return ["Type a number:", `1${keys.enter}`];
    return question === "Test card:" ? ["Type a number:", `12${keys.enter}`] : [question, typed];
  });

describe.concurrent("payments create asks in a terminal", () => {
  requireTerminals();

  test.each([
    ["test", inTest, {}, true],
    ["live", inLive, {}, true],
    ["test", toNumberedAnswers(inTest), accessible, false],
    ["live", toNumberedAnswers(inLive), accessible, false],
  ] as const)("for a card that is never shown, in %s mode", async (mode, answers, env, escapes) => {
    const { terminal, requests } = await startCreate([], { mode, env });
    await answerPrompts(terminal, ...answers);
    expect(await terminal.exitCode).toBe(0);
    expect(terminal.screen().includes("\u001B")).toBe(escapes);
    expect(JSON.parse(requests[0]?.body ?? "")).toMatchObject({
      card: { number, exp_month: 12, exp_year: 2040, cvc },
    });
    expect(terminal.screen()).toMatch(/49\.99 EUR/);
    expect(terminal.screen()).not.toContain(number.slice(0, -4));
    expect(terminal.screen()).not.toMatch(code);
  });

  test("for the card if no file contains it", async () => {
    const home = createTemporaryHome();
    const terminal = runInTerminal(["create", "--mode", "live"], { home });
    await answerPrompts(terminal, ...inLive);
    expect(await terminal.exitCode).toBe(0);
    const files = readdirSync(home, { recursive: true, encoding: "utf8" })
      .map((name) => join(home, name))
      .filter((file) => statSync(file).isFile());
    expect(files.some((file) => file.endsWith("payments.db"))).toBe(true);
    for (const file of files) {
      expect(readFileSync(file, "latin1")).not.toContain(number);
      expect(readFileSync(file, "latin1")).not.toMatch(code);
    }
  });

  test("with --dry-run too, but sends and confirms nothing", async () => {
    const { terminal, requests } = await startCreate(["--dry-run"], { mode: "live" });
    await answerPrompts(terminal, ...inLive.slice(0, -1));
    expect(await terminal.exitCode).toBe(0);
    expect(terminal.screen()).toContain("…4444");
    expect(terminal.screen()).not.toMatch(/in live mode\?/);
    expect(terminal.screen()).not.toContain(number);
    expect(requests).toEqual([]);
  });

  test.each([
    ["Ctrl-C at the first question", 0, keys.controlC],
    ["Ctrl-D at the card", 2, keys.controlD],
    ["Ctrl-C at the last question", inLive.length - 1, keys.controlC],
    ["Enter at the last question", inLive.length - 1, keys.enter],
  ])("and is left by %s: exit 10, nothing sent", async (_, at, key) => {
    const { terminal, requests } = await startCreate([], { mode: "live" });
    await answerPrompts(terminal, ...inLive.slice(0, at), [inLive[at]?.[0] ?? "", key]);
    expect(await terminal.exitCode).toBe(10);
    expect(terminal.screen()).toContain("Canceled; nothing was sent.");
    expect(requests).toEqual([]);
  });
});

describe.concurrent("payments create asks no question in a terminal", () => {
  requireTerminals();
  test.each<[string, string[], string]>([
    ["an amount with a fraction", ["--amount", "49.99"], "write 4999"],
    ["a missing card file", ["--card-file", "none.json"], "there is no such file"],
  ])("where there is a mistake already: %s", async (_, args, message) => {
    const terminal = runInTerminal(["create", ...args]);
    expect(await terminal.exitCode).toBe(2);
    expect(terminal.screen()).toContain(message);
    expect(terminal.screen()).not.toContain("minor units (");
  });

  test("if standard input is the card", async () => {
    const terminal = runInTerminal(["create", "--card-file", "-"]);
    terminal.type(`{}\n${keys.controlD}`);
    expect(await terminal.exitCode).toBe(2);
    expect(terminal.screen()).toContain("Missing --amount");
  });
});
