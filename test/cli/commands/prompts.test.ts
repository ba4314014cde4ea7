import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { testCards } from "../../../src/contract/card.ts";
import { runningService } from "../../testkit/client/running-service.ts";
import { forward, scriptedServer, silence } from "../../testkit/client/scripted-server.ts";
import { createTemporaryHome, someKeys } from "../../testkit/temporary.ts";
import {
  runInTerminal,
  keys,
  requireTerminals,
  type Terminal,
  toNodeLine,
  openTerminal,
  type TerminalOptions,
} from "../../testkit/command/in-terminal.ts";
import {
  createServiceEnv,
  createEnvironment,
  launcher,
} from "../../testkit/command/run-payments.ts";
import { readLogin } from "../../../src/cli/config/profile.ts";
import { keyringOfHome } from "../../testkit/command/keyrings.ts";

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
/** The last choice, after all test cards. */
const another = String(testCards.length + 1);
/** As above, for prompts with numbered choices. */
const toNumberedAnswers = (answers: [string, string][]) =>
  answers.map(([question, typed]): [string, string] => {
    if (question === "Currency:") return ["Type a number:", `1${keys.enter}`];
    return question === "Test card:" ? ["Type a number:", another + keys.enter] : [question, typed];
  });

/** Whether the screen shows the payment, and no more of its card than it may. */
function expectNoCard(terminal: Terminal): void {
  expect(terminal.screen()).toMatch(/49\.99 EUR/);
  expect(terminal.screen()).not.toContain(number.slice(0, -4));
  expect(terminal.screen()).not.toMatch(code);
}

describe.concurrent("payments create asks in a terminal", () => {
  requireTerminals();

  test("for a card that is never shown, with numbered choices and no escape sequence with ACCESSIBLE", async () => {
    const { terminal, requests } = await startCreate([], { env: accessible });
    await answerPrompts(terminal, ...toNumberedAnswers(inTest));
    expect(await terminal.exitCode).toBe(0);
    expectNoCard(terminal);
    expect(terminal.screen()).not.toContain("\u001B");
    expect(JSON.parse(requests[0]?.body ?? "")).toMatchObject({
      card: { number, exp_month: 12, exp_year: 2040, cvc },
    });
  });

  test("for a card that is never shown in live mode, and that no file contains", async () => {
    const home = createTemporaryHome();
    const terminal = runInTerminal(["create", "--mode", "live"], { home });
    await answerPrompts(terminal, ...inLive);
    expect(await terminal.exitCode).toBe(0);
    expectNoCard(terminal);
    expect(terminal.screen()).toContain("\u001B");
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

  test("and is left by Enter at the last question: exit 10, nothing sent", async () => {
    const { terminal, requests } = await startCreate([], { mode: "live" });
    const [last] = inLive.at(-1) ?? [""];
    await answerPrompts(terminal, ...inLive.slice(0, -1), [last, keys.enter]);
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

  test("asks for a missing base URL, and with ACCESSIBLE shows neither the key nor an escape sequence", async () => {
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

  test("exits with 10 after Ctrl-C, and stores nothing", async () => {
    const home = createTemporaryHome();
    const terminal = runInTerminal(["login", "--base-url", service.url], { home });
    await terminal.appears("API key:");
    terminal.type(keys.controlC);
    expect(await terminal.exitCode).toBe(10);
    expect(readdirSync(home)).toEqual([]);
  });
});

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

/** Reasons not to prompt although there is a terminal, each with a command that would. */
const ways: [name: string, args: string[], missing: string, options: TerminalOptions][] = [
  [
    "CI is set",
    ["login"],
    "Missing --base-url",
    { env: { CI: "1", PAYMENTS_BASE_URL: undefined } },
  ],
  ["--no-input says so", ["refund", "pay_1", "--no-input"], "--yes", {}],
  ["the output is JSON", ["refund", "--json"], "Missing the id of the payment.", {}],
  ["standard input is no terminal", ["refund", "pay_1"], "--yes", { stdinFrom: "/dev/null" }],
];

describe.concurrent("without a user to prompt the command exits with 2 and asks nothing:", () => {
  requireTerminals();
  test.each(ways)("when %s, payments %j", async (_, args, missing, options) => {
    const server = await scriptedServer(silence);
    const env = { ...createServiceEnv(server.url), ...options.env };
    const terminal = runInTerminal(args, { ...options, env });
    expect(await terminal.exitCode).toBe(2);
    expect(terminal.screen()).toContain(missing);
    expect(terminal.screen()).not.toContain("?");
    expect(server.requests).toEqual([]);
  });

  test("when standard error is a file", async () => {
    const server = await scriptedServer(silence);
    const stderrTo = join(createTemporaryHome(), "stderr.txt");
    const terminal = runInTerminal(["create"], { env: createServiceEnv(server.url), stderrTo });
    expect(await terminal.exitCode).toBe(2);
    expect(terminal.screen()).toBe("");
    expect(readFileSync(stderrTo, "utf8")).toContain("Missing --amount");
    expect(server.requests).toEqual([]);
  });
});
