import { once } from "node:events";
import { createInterface, emitKeypressEvents, type Key } from "node:readline";
import {
  pageSize,
  type Choice,
  type Prompter,
  type Search,
  type SearchResult,
  type Terminal,
  type Validate,
  canceled,
} from "./prompter.ts";

/**
 * Creates prompts that redraw nothing and write no escape sequences, so that a screen reader or a terminal
 * that only prints can follow.
 */
export function createPlainPrompter(terminal: Terminal): Prompter {
  const print = (line: string) => void terminal.output.write(`${line}\n`);
  const ask = async (question: string) => (await readLine(terminal, question)).trim();

  async function askUntilValid(
    read: () => Promise<string>,
    validate: Validate | undefined,
  ): Promise<string> {
    for (;;) {
      const typed = await read();
      const mistake = validate?.(typed);
      if (mistake === undefined) return typed;
      print(mistake);
    }
  }

  return {
    print,
    confirm: async (question) => {
      const answer = await askUntilValid(
        async () => ask(`${question} (yes or no; Enter means no)`),
        (typed) => (/^(?:y|ye|yes|n|no|)$/i.test(typed) ? undefined : "Type yes or no."),
      );
      return /^y/i.test(answer);
    },
    text: async (question, validate) =>
      askUntilValid(async () => readLine(terminal, question), validate),
    hidden: async (question, validate) =>
      askUntilValid(
        async () => readHiddenLine(terminal, `${question} (not shown as you type)`),
        validate,
      ),
    pick: async (question, choices) => {
      print(question);
      for (const row of numberRows(choices)) print(row);
      for (;;) {
        const choice = findChoice(choices, await ask("Type a number:"));
        if (choice) return choice.value;
        print(`It must be a number from 1 to ${choices.length}.`);
      }
    },
    search: async <T>({ question, searchable, find }: Search<T>) => {
      print(question);
      let typed = "";
      for (;;) {
        const { choices, note } = await findAll(find, typed);
        const page = choices.slice(0, pageSize);
        for (const row of numberRows(page)) print(row);
        if (choices.length > page.length) print("There are more; type more to narrow the search.");
        if (note !== undefined) print(note);
        typed = await ask(`Type ${page.length > 0 ? "a number, or " : ""}${searchable} to search:`);
        const choice = findChoice(page, typed);
        if (choice) return choice.value;
      }
    },
  };
}

/** Waits for a whole result, since a list that changes under a number would have the user choose another payment. */
async function findAll<T>(find: Search<T>["find"], typed: string): Promise<SearchResult<T>> {
  const leaving = new AbortController();
  let found: SearchResult<T> = { choices: [] };
  for await (const result of find(typed, leaving.signal)) {
    found = result;
    if (!result.isPartial) break;
  }
  leaving.abort();
  return found;
}

function numberRows(choices: Choice<unknown>[]): string[] {
  return choices.map(({ cells, detail = "" }, at) => {
    const parts = [...cells, detail].map((part) => part.trim()).filter((part) => part !== "");
    return `${at + 1}. ${parts.join(", ")}`;
  });
}

function findChoice<T>(choices: Choice<T>[], typed: string): Choice<T> | undefined {
  return /^\d{1,3}$/.test(typed) ? choices[Number(typed) - 1] : undefined;
}

/** Reads a line; the terminal itself edits and shows it. Ctrl-C and the end of input cancel. */
async function readLine({ input, output }: Terminal, question: string): Promise<string> {
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  // Registered before readline's own listener, which would accept text without Enter as an answer.
  input.once("end", leave);
  process.on("SIGINT", leave);
  const lines = createInterface({ input, terminal: false });
  const ask = () => void output.write(`${question} `);
  // After Ctrl-Z and `fg` the terminal has dropped what was typed, and the shell's text stands below the question.
  process.on("SIGCONT", ask);
  ask();
  try {
    const [line] = (await once(lines, "line", { signal: leaving.signal })) as [string];
    process.off("SIGINT", leave);
    return line;
  } catch {
    // The SIGINT listener stays: the launcher may pass on the Ctrl-C that this process has already received.
    output.write("\n");
    throw canceled();
  } finally {
    input.off("end", leave);
    process.off("SIGCONT", ask);
    lines.close();
  }
}

/** Reads a line that is not shown as it is typed. */
async function readHiddenLine({ input, output }: Terminal, question: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let typed = "";
  const handleKey = (character: string | undefined, key: Key) => {
    if (key.name === "return" || key.name === "enter") resolve(typed);
    else if (key.ctrl && (key.name === "c" || key.name === "d")) reject(canceled());
    else if (key.ctrl && key.name === "u") typed = "";
    else if (key.name === "backspace") typed = typed.slice(0, -1);
    else if (character !== undefined && /^\P{Cc}+$/u.test(character)) typed += character;
  };
  emitKeypressEvents(input);
  input.setRawMode(true);
  output.write(`${question} `);
  input.on("keypress", handleKey).resume();
  try {
    return await promise;
  } finally {
    input.off("keypress", handleKey).pause();
    input.setRawMode(false);
    output.write("\n");
  }
}
