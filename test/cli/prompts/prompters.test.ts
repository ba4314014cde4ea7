import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { createTemporaryHome } from "../../testkit/command/temporary-home.ts";
import {
  keys,
  runLineInTerminal,
  requireTerminals,
  toNodeLine,
  runProgramInTerminal,
  type Terminal,
  type TerminalOptions,
} from "../../testkit/command/in-terminal.ts";

const program = fileURLToPath(new URL("ask-one.ts", import.meta.url));
/** Shares compiled code, since compiling would take half the time of a prompt. */
const cached = { NODE_COMPILE_CACHE: createTemporaryHome() };
const kinds = {
  confirm: "Go on?",
  text: "Text:",
  hidden: "Hidden:",
  pick: "Pick:",
  search: "Search:",
};
type Kind = keyof typeof kinds;
const environments = {
  redrawn: cached,
  plain: { ...cached, ACCESSIBLE: "1" },
  dumb: { ...cached, TERM: "dumb" },
};
type Adapter = keyof typeof environments;
const both: Adapter[] = ["redrawn", "plain"];

async function startAsking(kind: Kind, adapter: Adapter, options: TerminalOptions = {}) {
  const terminal = runProgramInTerminal([program, kind], {
    ...options,
    env: environments[adapter],
  });
  await terminal.appears(kinds[kind]);
  // The plain adapter writes its list before it reads.
  if (adapter !== "redrawn" && kind === "pick") await terminal.appears("Type a number:");
  if (adapter !== "redrawn" && kind === "search") await terminal.appears("to search:");
  if (adapter === "redrawn" && kind === "search") await terminal.appears("Type part of a name");
  return terminal;
}

async function answerOf(terminal: Terminal): Promise<unknown> {
  await terminal.exitCode;
  return JSON.parse(terminal.screen().split("Answer: ")[1] ?? "null");
}

/** Each prompt of the library, one of them by either key, and the reader that all plain prompts share. */
const exits: [Kind, Adapter, "controlC" | "controlD"][] = [
  ...(Object.keys(kinds) as Kind[]).map(
    (kind) => [kind, "redrawn", "controlC"] as [Kind, Adapter, "controlC"],
  ),
  ["search", "redrawn", "controlD"],
  ["text", "redrawn", "controlD"],
  ["text", "plain", "controlC"],
  ["hidden", "plain", "controlD"],
  ["search", "plain", "controlC"],
];

describe.concurrent("a prompt", () => {
  requireTerminals();
  test.each(exits)("%s (%s) is left with %s: exit 10", async (kind, adapter, key) => {
    const terminal = await startAsking(kind, adapter);
    terminal.type(keys[key]);
    expect(await terminal.exitCode).toBe(10);
    expect(terminal.screen()).toContain("Error: Canceled; nothing was sent.");
    expect(terminal.screen()).not.toContain("Answer:");
  });

  test.each<[Adapter, string, boolean]>([
    ["redrawn", "YES", true],
    ["redrawn", "", false],
    ["plain", "YES", true],
    ["plain", "n", false],
    ["plain", "", false],
  ])("is confirmed (%s) by yes alone: %j is %s", async (adapter, typed, yes) => {
    const terminal = await startAsking("confirm", adapter);
    terminal.type(typed + keys.enter);
    expect(await answerOf(terminal)).toBe(yes);
    expect(await terminal.exitCode).toBe(0);
  });

  test.each(both)("to confirm (%s) repeats after another answer", async (adapter) => {
    const terminal = await startAsking("confirm", adapter);
    terminal.type(`maybe${keys.enter}`);
    await terminal.appears(adapter === "plain" ? "Type yes or no." : "You must answer");
    terminal.type(`${adapter === "plain" ? "" : keys.controlU}y${keys.enter}`);
    expect(await answerOf(terminal)).toBe(true);
  });

  test.each(both)("for a text (%s) repeats after a mistake", async (adapter) => {
    const terminal = await startAsking("text", adapter);
    terminal.type(`abc${keys.enter}`);
    await terminal.appears("Digits only.");
    terminal.type(`${adapter === "plain" ? "" : keys.controlU}123${keys.enter}`);
    expect(await answerOf(terminal)).toBe("123");
  });

  test.each<Adapter>(["redrawn", "plain", "dumb"])(
    "for a secret (%s) does not show it, and discards a wrong one",
    async (adapter) => {
      const terminal = await startAsking("hidden", adapter);
      terminal.type(`qwe${keys.enter}`);
      await terminal.appears("Digits only.");
      await terminal.appears("Hidden:");
      terminal.type(`98${keys.backspace}76${keys.down}`);
      // The key with which the library would reveal it.
      terminal.type("\u0014");
      terminal.type(keys.enter);
      expect(await answerOf(terminal)).toBe("976");
      const [asked] = stripVTControlCharacters(terminal.screen()).split("Answer: ");
      expect(asked).not.toMatch(/qwe|98|976/);
    },
  );

  test("with choices is answered by arrow keys", async () => {
    const terminal = await startAsking("pick", "redrawn");
    terminal.type(keys.down);
    terminal.type(keys.enter);
    expect(await answerOf(terminal)).toBe("bob@example.com");
  });

  test("with choices is answered by a number on a plain screen", async () => {
    const terminal = await startAsking("pick", "plain");
    for (const wrong of ["0", "3", "bob", ""]) {
      terminal.type(wrong + keys.enter);
      await terminal.appears("It must be a number from 1 to 2.");
    }
    terminal.type(`2${keys.enter}`);
    expect(await answerOf(terminal)).toBe("bob@example.com");
  });
});

describe.concurrent("a search", () => {
  requireTerminals();
  test("narrows as the user types, and Enter picks the marked choice", async () => {
    const terminal = await startAsking("search", "redrawn");
    terminal.type("zzz");
    await terminal.appears("Nothing matches.");
    terminal.type(`${keys.controlU}bob`);
    await terminal.appears("id of bob@example.com");
    terminal.type(keys.enter);
    expect(await answerOf(terminal)).toBe("bob@example.com");
  });

  test("shows results as they arrive, and the marked choice stays marked", async () => {
    const terminal = await startAsking("search", "redrawn");
    terminal.type("partial");
    await terminal.appears("Some are searched.");
    await terminal.appears("ada@example.com");
    await terminal.appears("All are searched.");
    terminal.type(keys.enter);
    expect(await answerOf(terminal)).toBe("bob@example.com");
  });

  test("chooses nothing that was found by an earlier text", async () => {
    const terminal = await startAsking("search", "redrawn");
    terminal.type("bob");
    await terminal.appears("id of bob@example.com");
    terminal.type("!");
    await terminal.appears("bob!");
    terminal.type(keys.enter + keys.controlC);
    expect(await terminal.exitCode).toBe(10);
  });

  test("keeps the typed text after an arrow key", async () => {
    const terminal = await startAsking("search", "redrawn");
    await terminal.appears("id of ada@example.com");
    terminal.type("c1");
    await terminal.appears("id of c1@example.com");
    terminal.type(keys.down);
    await terminal.appears("id of c10@example.com");
    terminal.type("1");
    await terminal.appears("id of c11@example.com");
    terminal.type(keys.enter);
    expect(await answerOf(terminal)).toBe("c11@example.com");
  });

  test("on a plain screen prints a whole result alone", async () => {
    const terminal = await startAsking("search", "plain");
    terminal.type(`partial${keys.enter}`);
    await terminal.appears("2. 1.00 EUR, bob@example.com");
    await terminal.appears("All are searched.");
    expect(terminal.screen()).not.toContain("Some are searched.");
    terminal.type(`2${keys.enter}`);
    expect(await answerOf(terminal)).toBe("bob@example.com");
  });

  test.each(both)("(%s) that takes long does not keep the user from choosing", async (adapter) => {
    const terminal = await startAsking("search", adapter);
    terminal.type(`late${adapter === "plain" ? keys.enter : ""}`);
    await terminal.appears("It takes long.");
    if (adapter === "plain") await terminal.appears("to search:");
    terminal.type(`${adapter === "plain" ? "1" : ""}${keys.enter}`);
    expect(await answerOf(terminal)).toBe("ada@example.com");
    expect(await terminal.exitCode).toBe(0);
  });

  test("keeps the text that Tab completes", async () => {
    const options = { env: { NO_COLOR: "1" }, columns: 80 };
    const terminal = runProgramInTerminal([program, "search"], options);
    await terminal.appears("id of ada@example.com");
    terminal.type("bob");
    await terminal.appears("id of bob@example.com");
    terminal.type(keys.tab);
    await terminal.appears("Search: 1.00 EUR  bob@example.com");
    terminal.type(keys.enter);
    expect(await answerOf(terminal)).toBe("bob@example.com");
  });

  test.each([60])("has rows that fit %d columns", async (columns) => {
    const terminal = await startAsking("search", "redrawn", { columns });
    await terminal.appears("id of ada@example.com");
    const lines = stripVTControlCharacters(terminal.screen()).split(/\r?\n/);
    const rows = lines.filter((line) => line.includes("@example.com  "));
    expect(rows.length).toBeGreaterThanOrEqual(10);
    for (const row of rows) expect(row.length).toBeLessThan(columns);
  });

  test("that fails ends the prompt with the error", async () => {
    const terminal = await startAsking("search", "redrawn");
    terminal.type("fail");
    await terminal.appears("The search failed.");
    expect(await terminal.exitCode).toBe(1);
  });

  test("continues on a plain screen until the user types a number", async () => {
    const terminal = await startAsking("search", "plain");
    expect(terminal.screen()).toContain("10. 9.00 EUR, c7@example.com");
    expect(terminal.screen()).not.toContain("11. ");
    expect(terminal.screen()).toContain("There are more; type more to narrow the search.");
    terminal.type(`zzz${keys.enter}`);
    await terminal.appears("Nothing matches.\r\nType part of a name to search:");
    terminal.type(`bob${keys.enter}`);
    await terminal.appears("1. 1.00 EUR, bob@example.com, ");
    await terminal.appears(
      ", id of bob@example.com\r\nType a number, or part of a name to search:",
    );
    terminal.type(`1${keys.enter}`);
    expect(await answerOf(terminal)).toBe("bob@example.com");
    expect(terminal.screen()).not.toContain("\u001B");
  });
});

describe("after Ctrl-Z and fg", () => {
  requireTerminals();
  test.each<Adapter>(["redrawn", "plain"])("a prompt (%s) continues", async (adapter) => {
    const options = { env: environments[adapter] };
    const terminal = runLineInTerminal("env PS1='$ ' bash --norc --noprofile -i", options);
    terminal.type(`${toNodeLine([program, "confirm"])}${keys.enter}`);
    await terminal.appears("Go on?");
    terminal.type(keys.controlZ);
    await terminal.appears("Stopped");
    await terminal.appears("confirm");
    terminal.type(`fg${keys.enter}`);
    await terminal.appears("confirm");
    terminal.type("y");
    await terminal.appears("y");
    terminal.type(keys.enter);
    await terminal.appears("Answer: true");
    await terminal.appears("$ ");
    terminal.type(`exit${keys.enter}`);
    expect(await terminal.exitCode).toBe(0);
  });
});
