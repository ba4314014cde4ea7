// Asks questions in turn in the terminal it runs in, and prints each answer as JSON: for tests.
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { Choice, Prompter } from "../../../src/cli/prompts/prompter.ts";
import { wantsPlainScreen } from "../../../src/cli/output/style.ts";
import { createPlainPrompter } from "../../../src/cli/prompts/plain-prompter.ts";
import { createPrompter } from "../../../src/cli/prompts/inquirer-prompter.ts";
import { toFailure } from "../../../src/cli/output/explain-failure.ts";

const people = [
  "ada@example.com",
  "bob@example.com",
  ...Array.from({ length: 12 }, (_, at) => `c${at}@example.com`),
];
type Named = Choice<string>;
const choices = people.map((person, at): Named => ({
  value: person,
  cells: [`${at}.00 EUR`, person, "x".repeat(60)],
  detail: `id of ${person}`,
}));
const check = (typed: string) => (/^\d+$/.test(typed) ? undefined : "Digits only.");

const questions: Record<string, (prompter: Prompter) => Promise<unknown>> = {
  confirm: async (prompter) => prompter.confirm("Go on?"),
  text: async (prompter) => prompter.text("Text:", check),
  hidden: async (prompter) => prompter.hidden("Hidden:", check),
  pick: async (prompter) => prompter.pick("Pick:", choices.slice(0, 2)),
  search: async (prompter) =>
    prompter.search({
      question: "Search:",
      searchable: "part of a name",
      find: async function* (typed, signal) {
        if (typed === "fail") throw new Error("The search failed.");
        const [ada, bob] = choices as [Named, Named];
        if (typed === "partial") {
          yield { choices: [bob], note: "Some are searched.", isPartial: true };
          await delay(100);
          yield { choices: [ada, bob], note: "All are searched." };
          return;
        }
        if (typed === "bob!") await once(signal, "abort");
        if (typed === "late") {
          yield { choices: [ada], note: "It takes long." };
          await once(signal, "abort");
        }
        const found = choices.filter(({ value }) => value.includes(typed));
        yield { choices: found, note: found.length === 0 ? "Nothing matches." : undefined };
      },
    }),
};

// A connection would keep the process alive too: a prompt must end by itself.
const connection = setInterval(() => {}, 60_000);
const open = wantsPlainScreen(process.env) ? createPlainPrompter : createPrompter;
for (const kind of process.argv.slice(2)) {
  try {
    const prompter = open({ input: process.stdin, output: process.stderr });
    const answer = await questions[kind]?.(prompter);
    process.stdout.write(`Answer: ${JSON.stringify(answer)}\n`);
  } catch (error) {
    const { exitCode, problem } = toFailure(error);
    process.stdout.write(`Error: ${problem.message}\n`);
    process.exitCode = exitCode;
  }
}
clearInterval(connection);
