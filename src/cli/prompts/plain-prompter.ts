import {
  screenful,
  type Prompter,
  type Validate,
  type Choice,
  type Search,
  type Terminal,
} from "./prompter.ts";
import { readHiddenLine, readLine } from "./typed-line.ts";

/**
 * Questions one after the other: nothing is redrawn and no escape sequence written, so that a screen
 * reader or a terminal that only prints can follow.
 */
export function createPlainPrompter(terminal: Terminal): Prompter {
  const tell = (line: string) => void terminal.output.write(`${line}\n`);
  const line = async (question: string) => (await readLine(terminal, question)).trim();

  async function until(ask: () => Promise<string>, check: Validate | undefined): Promise<string> {
    for (;;) {
      const typed = await ask();
      const mistake = check?.(typed);
      if (mistake === undefined) return typed;
      tell(mistake);
    }
  }

  return {
    tell,
    confirm: async (question) => {
      const answer = await until(
        async () => line(`${question} (yes or no; Enter means no)`),
        yesOrNo,
      );
      return answer !== "" && isStartOf("yes", answer);
    },
    text: async (question, check) => until(async () => readLine(terminal, question), check),
    hidden: async (question, check) =>
      until(async () => readHiddenLine(terminal, `${question} (not shown as you type)`), check),
    pick: async (question, choices) => {
      tell(question);
      for (const row of numbered(choices)) tell(row);
      for (;;) {
        const choice = chosen(choices, await line("Type a number:"));
        if (choice) return choice.value;
        tell(`It must be a number from 1 to ${choices.length}.`);
      }
    },
    search: async <T>({ question, searchable, find }: Search<T>) => {
      tell(question);
      let typed = "";
      for (;;) {
        const { choices, note } = await find(typed, new AbortController().signal);
        const offered = choices.slice(0, screenful);
        for (const row of numbered(offered)) tell(row);
        if (choices.length > offered.length)
          tell("There are more; type more to narrow the search.");
        if (note !== undefined) tell(note);
        typed = await line(
          `Type ${offered.length > 0 ? "a number, or " : ""}${searchable} to search:`,
        );
        const choice = chosen(offered, typed);
        if (choice) return choice.value;
      }
    },
  };
}

function numbered(choices: Choice<unknown>[]): string[] {
  return choices.map(({ cells, detail = "" }, at) => {
    const parts = [...cells, detail].map((part) => part.trim()).filter((part) => part !== "");
    return `${at + 1}. ${parts.join(", ")}`;
  });
}

function chosen<T>(choices: Choice<T>[], typed: string): Choice<T> | undefined {
  return /^\d{1,3}$/.test(typed) ? choices[Number(typed) - 1] : undefined;
}

function yesOrNo(answer: string): string | undefined {
  return isStartOf("yes", answer) || isStartOf("no", answer) ? undefined : "Type yes or no.";
}

function isStartOf(word: string, typed: string): boolean {
  return word.startsWith(typed.toLowerCase());
}
