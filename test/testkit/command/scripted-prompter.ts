import { gather } from "../gather.ts";
import type {
  Prompter,
  Validate,
  Choice,
  SearchResult,
} from "../../../src/cli/prompts/prompter.ts";

/**
 * A scripted answer: a text for a line or for a part of a choice, a boolean for a confirmation. The
 * `typed` of a search precedes the choice.
 */
export type Answer = string | boolean | { typed: string; chooses: string };

export function createScriptedPrompter(...answers: Answer[]) {
  /** The prompts and lines in order; `!` marks the mistake in an answer. */
  const transcript: string[] = [];
  const found: SearchResult<unknown>[] = [];
  const takeAnswer = (question: string): Answer => {
    transcript.push(question);
    const answer = answers.shift();
    if (answer === undefined) throw new Error(`There is no answer to: ${question}`);
    return answer;
  };
  const answerLine = (question: string, check: Validate | undefined): string => {
    for (;;) {
      const typed = takeAnswer(question) as string;
      const mistake = check?.(typed);
      if (mistake === undefined) return typed;
      transcript.push(`! ${mistake}`);
    }
  };
  const prompter: Prompter = {
    print: (text) => void transcript.push(text),
    confirm: async (question) => takeAnswer(question) as boolean,
    text: async (question, check) => answerLine(question, check),
    hidden: async (question, check) => answerLine(`${question} (hidden)`, check),
    pick: async (question, choices) => findChoice(choices, takeAnswer(question) as string),
    search: async ({ question, find }) => {
      const { typed, chooses } = takeAnswer(question) as { typed: string; chooses: string };
      const results = await gather(find(typed, new AbortController().signal));
      const result = results.at(-1) ?? { choices: [] };
      found.push(result);
      return findChoice(result.choices, chooses);
    },
  };
  return { prompter, transcript, found };
}

function findChoice<T>(choices: Choice<T>[], text: string): T {
  const choice = choices.find(({ cells }) => cells.join(" ").includes(text));
  if (choice) return choice.value;
  throw new Error(`${text} is not among ${JSON.stringify(choices)}`);
}
