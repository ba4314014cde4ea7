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

export function scriptedPrompter(...answers: Answer[]) {
  /** The prompts and lines in order; `!` marks the mistake in an answer. */
  const transcript: string[] = [];
  const found: SearchResult<unknown>[] = [];
  const next = (question: string): Answer => {
    transcript.push(question);
    const answer = answers.shift();
    if (answer === undefined) throw new Error(`There is no answer to: ${question}`);
    return answer;
  };
  const line = (question: string, check: Validate | undefined): string => {
    for (;;) {
      const typed = next(question) as string;
      const mistake = check?.(typed);
      if (mistake === undefined) return typed;
      transcript.push(`! ${mistake}`);
    }
  };
  const prompter: Prompter = {
    print: (text) => void transcript.push(text),
    confirm: async (question) => next(question) as boolean,
    text: async (question, check) => line(question, check),
    hidden: async (question, check) => line(`${question} (hidden)`, check),
    pick: async (question, choices) => chosen(choices, next(question) as string),
    search: async ({ question, find }) => {
      const { typed, chooses } = next(question) as { typed: string; chooses: string };
      const result = await find(typed, new AbortController().signal);
      found.push(result);
      return chosen(result.choices, chooses);
    },
  };
  return { prompter, transcript, found };
}

function chosen<T>(choices: Choice<T>[], text: string): T {
  const choice = choices.find(({ cells }) => cells.join(" ").includes(text));
  if (choice) return choice.value;
  throw new Error(`${text} is not among ${JSON.stringify(choices)}`);
}
