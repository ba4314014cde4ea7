import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTemporaryHome } from "../../testkit/temporary.ts";
import {
  keys,
  runLineInTerminal,
  requireTerminals,
  toNodeLine,
  runProgramInTerminal,
  type Terminal,
  type TerminalOptions,
} from "../../testkit/command/in-terminal.ts";

const program = fileURLToPath(new URL("ask-in-turn.ts", import.meta.url));
/** Shares compiled code, since compiling would take half the time of a prompt. */
const cached = { NODE_COMPILE_CACHE: createTemporaryHome() };
const questions = {
  confirm: "Go on?",
  text: "Text:",
  hidden: "Hidden:",
  pick: "Pick:",
  search: "Search:",
};
type Kind = keyof typeof questions;
const environments = {
  redrawn: cached,
  plain: { ...cached, ACCESSIBLE: "1" },
  dumb: { ...cached, TERM: "dumb" },
};
type Adapter = keyof typeof environments;
const both = ["redrawn", "plain"] as const;

type Asking = Terminal & {
  /** Waits until the next question can be answered. */
  asks: (kind: Kind) => Promise<void>;
  /** Waits for the answer to the last question. */
  answer: () => Promise<unknown>;
};

/** Asks these questions in turn, in one terminal. */
function startAsking(kinds: Kind[], adapter: Adapter, options: TerminalOptions = {}): Asking {
  const env = { ...environments[adapter], ...options.env };
  const terminal = runProgramInTerminal([program, ...kinds], { ...options, env });
  return {
    ...terminal,
    asks: async (kind) => {
      await terminal.appears(questions[kind]);
      // The plain adapter writes its list before it reads.
      if (adapter !== "redrawn" && kind === "pick") await terminal.appears("Type a number:");
      if (adapter !== "redrawn" && kind === "search") await terminal.appears("to search:");
      if (adapter === "redrawn" && kind === "search") await terminal.appears("Type part of a name");
    },
    answer: async () => {
      await terminal.appears("Answer: ");
      await terminal.appears("\r\n");
      return JSON.parse(terminal.screen().split("Answer: ").at(-1)?.split("\r\n")[0] ?? "");
    },
  };
}

/** Each prompt of the library, one of them by either key, and the reader that all plain prompts share. */
const exits: Record<"redrawn" | "plain", [Kind, "controlC" | "controlD"][]> = {
  redrawn: [
    ["confirm", "controlC"],
    ["text", "controlC"],
    ["hidden", "controlC"],
    ["pick", "controlC"],
    ["search", "controlC"],
    ["search", "controlD"],
    ["text", "controlD"],
  ],
  plain: [
    ["text", "controlC"],
    ["hidden", "controlD"],
    ["search", "controlC"],
  ],
};

describe.concurrent("a prompt", () => {
  requireTerminals();
  test.each(both)("(%s) is left with Ctrl-C or Ctrl-D: exit 10", async (adapter) => {
    const kinds = exits[adapter].map(([kind]) => kind);
    const terminal = startAsking(kinds, adapter);
    for (const [kind, key] of exits[adapter]) {
      await terminal.asks(kind);
      terminal.type(keys[key]);
      await terminal.appears("Error: Canceled; nothing was sent.");
    }
    expect(await terminal.exitCode).toBe(10);
    expect(terminal.screen()).not.toContain("Answer:");
  });

  test.each<["redrawn" | "plain", string]>([
    ["redrawn", "You must answer"],
    ["plain", "Type yes or no."],
  ])("(%s) is confirmed by yes alone, and repeats after another answer", async (adapter, note) => {
    const terminal = startAsking(["confirm", "confirm", "confirm", "confirm"], adapter);
    for (const [typed, yes] of [
      ["YES", true],
      ["n", false],
      ["", false],
    ] as const) {
      await terminal.asks("confirm");
      terminal.type(typed + keys.enter);
      expect(await terminal.answer()).toBe(yes);
    }
    await terminal.asks("confirm");
    terminal.type(`maybe${keys.enter}`);
    await terminal.appears(note);
    terminal.type(`${adapter === "plain" ? "" : keys.controlU}y${keys.enter}`);
    expect(await terminal.answer()).toBe(true);
    expect(await terminal.exitCode).toBe(0);
  });

  test.each<Adapter>(["redrawn", "plain", "dumb"])(
    "(%s) for a text repeats after a mistake, for a secret does not show it, and discards a wrong one",
    async (adapter) => {
      const terminal = startAsking(["text", "hidden"], adapter);
      await terminal.asks("text");
      terminal.type(`abc${keys.enter}`);
      await terminal.appears("Digits only.");
      terminal.type(`${adapter === "redrawn" ? keys.controlU : ""}123${keys.enter}`);
      expect(await terminal.answer()).toBe("123");
      await terminal.asks("hidden");
      terminal.type(`qwe${keys.enter}`);
      await terminal.appears("Digits only.");
      await terminal.appears("Hidden:");
      terminal.type(`98${keys.backspace}76${keys.down}`);
      // The key with which the library would reveal it.
      terminal.type("\u0014");
      terminal.type(keys.enter);
      expect(await terminal.answer()).toBe("976");
      const [, asked] = stripVTControlCharacters(terminal.screen()).split("Answer: ");
      expect(asked).toContain("Hidden:");
      expect(asked).not.toMatch(/qwe|98|976/);
    },
  );

  test("with choices is answered by arrow keys", async () => {
    const terminal = startAsking(["pick"], "redrawn");
    await terminal.asks("pick");
    terminal.type(keys.down);
    terminal.type(keys.enter);
    expect(await terminal.answer()).toBe("bob@example.com");
  });

  test("with choices is answered by a number on a plain screen", async () => {
    const terminal = startAsking(["pick"], "plain");
    await terminal.asks("pick");
    for (const wrong of ["0", "3", "bob", ""]) {
      terminal.type(wrong + keys.enter);
      await terminal.appears("It must be a number from 1 to 2.");
    }
    terminal.type(`2${keys.enter}`);
    expect(await terminal.answer()).toBe("bob@example.com");
  });
});

const searches = Array<Kind>(9).fill("search");

describe("a search that redraws the screen", () => {
  requireTerminals();
  const columns = 60;
  let terminal: Asking;
  beforeAll(() => {
    terminal = startAsking(searches, "redrawn", { columns, env: { NO_COLOR: "1" } });
  });
  beforeEach(async () => terminal.asks("search"));

  test("narrows as the user types, and Enter picks the marked choice", async () => {
    terminal.type("zzz");
    await terminal.appears("Nothing matches.");
    terminal.type(`${keys.controlU}bob`);
    await terminal.appears("id of bob@example.com");
    terminal.type(keys.enter);
    expect(await terminal.answer()).toBe("bob@example.com");
  });

  test("has rows that fit the terminal", async () => {
    const before = terminal.screen().lastIndexOf("Answer: ");
    await terminal.appears("id of ada@example.com");
    const lines = stripVTControlCharacters(terminal.screen().slice(before)).split(/\r?\n/);
    const rows = lines.filter((line) => line.includes("@example.com  "));
    expect(rows.length).toBeGreaterThanOrEqual(10);
    for (const row of rows) expect(row.length).toBeLessThan(columns);
    terminal.type(keys.enter);
    expect(await terminal.answer()).toBe("ada@example.com");
  });

  test("shows results as they arrive, and the marked choice stays marked", async () => {
    terminal.type("partial");
    await terminal.appears("Some are searched.");
    await terminal.appears("ada@example.com");
    await terminal.appears("All are searched.");
    terminal.type(keys.enter);
    expect(await terminal.answer()).toBe("bob@example.com");
  });

  test("chooses nothing that was found by an earlier text", async () => {
    const answers = terminal.screen().split("Answer: ").length;
    terminal.type("bob");
    await terminal.appears("id of bob@example.com");
    terminal.type("!");
    await terminal.appears("bob!");
    terminal.type(keys.enter + keys.controlC);
    await terminal.appears("Error: Canceled");
    expect(terminal.screen().split("Answer: ")).toHaveLength(answers);
  });

  test("keeps the typed text after an arrow key", async () => {
    await terminal.appears("id of ada@example.com");
    terminal.type("c1");
    await terminal.appears("id of c1@example.com");
    terminal.type(keys.down);
    await terminal.appears("id of c10@example.com");
    terminal.type("1");
    await terminal.appears("id of c11@example.com");
    terminal.type(keys.enter);
    expect(await terminal.answer()).toBe("c11@example.com");
  });

  test("keeps the typed text after an arrow key at the last row", async () => {
    await terminal.appears("id of ada@example.com");
    terminal.type("bob");
    await terminal.appears("id of bob@example.com");
    terminal.type(keys.down);
    await terminal.appears("id of bob@example.com");
    terminal.type("@");
    await terminal.appears("Search: bob@");
    await terminal.appears("id of bob@example.com");
    terminal.type(keys.enter);
    expect(await terminal.answer()).toBe("bob@example.com");
  });

  test("keeps the text that Tab completes", async () => {
    await terminal.appears("id of ada@example.com");
    terminal.type("bob");
    await terminal.appears("id of bob@example.com");
    terminal.type(keys.tab);
    await terminal.appears("Search: 1.00 EUR  bob@example.com");
    terminal.type(keys.enter);
    expect(await terminal.answer()).toBe("bob@example.com");
  });

  test("that takes long does not keep the user from choosing", async () => {
    terminal.type("late");
    await terminal.appears("It takes long.");
    terminal.type(keys.enter);
    expect(await terminal.answer()).toBe("ada@example.com");
  });

  test("ends with the error if it fails", async () => {
    terminal.type("fail");
    await terminal.appears("The search failed.");
    expect(terminal.screen()).toMatch(/Error: .*The search failed\./);
  });
});

describe("a search on a plain screen", () => {
  requireTerminals();
  let terminal: Asking;
  beforeAll(() => {
    terminal = startAsking(["search", "search", "search"], "plain");
  });
  beforeEach(async () => terminal.asks("search"));

  test("prints a whole result alone", async () => {
    terminal.type(`partial${keys.enter}`);
    await terminal.appears("2. 1.00 EUR, bob@example.com");
    await terminal.appears("All are searched.");
    expect(terminal.screen()).not.toContain("Some are searched.");
    terminal.type(`2${keys.enter}`);
    expect(await terminal.answer()).toBe("bob@example.com");
  });

  test("that takes long does not keep the user from choosing", async () => {
    terminal.type(`late${keys.enter}`);
    await terminal.appears("It takes long.");
    await terminal.appears("to search:");
    terminal.type(`1${keys.enter}`);
    expect(await terminal.answer()).toBe("ada@example.com");
  });

  test("continues until the user types a number", async () => {
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
    expect(await terminal.answer()).toBe("bob@example.com");
    expect(terminal.screen()).not.toContain("\u001B");
  });
});

describe("after Ctrl-Z and fg", () => {
  requireTerminals();
  test.each<Adapter>(["redrawn", "plain"])(
    "a prompt (%s) is shown again, and continues",
    async (adapter) => {
      const options = { env: environments[adapter] };
      const terminal = runLineInTerminal("env PS1='$ ' bash --norc --noprofile -i", options);
      terminal.type(`${toNodeLine([program, "confirm"])}${keys.enter}`);
      await terminal.appears("Go on?");
      terminal.type(keys.controlZ);
      await terminal.appears("Stopped");
      await terminal.appears("confirm");
      terminal.type(`fg${keys.enter}`);
      await terminal.appears("confirm");
      await terminal.appears("Go on?");
      terminal.type("y");
      await terminal.appears("y");
      terminal.type(keys.enter);
      await terminal.appears("Answer: true");
      await terminal.appears("$ ");
      terminal.type(`exit${keys.enter}`);
      expect(await terminal.exitCode).toBe(0);
    },
  );
});
