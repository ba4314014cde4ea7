import type {
  Choice,
  Prompter,
  SearchResult,
  Validate,
} from "../../../src/cli/prompts/prompter.ts";
import type { ListPaymentsQuery, PaymentList } from "../../../src/contract/list-payments.ts";
import type { Payment } from "../../../src/contract/payment.ts";

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
      const results = await Array.fromAsync(find(typed, new AbortController().signal));
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

/** Payments in pages of 100, the number of requested pages, and what was searched; a search finds `inHistory`. */
export function createPages(payments: Payment[], inHistory: Payment[] = []) {
  let loaded = 0;
  const searches: string[] = [];
  async function* pages({ search }: ListPaymentsQuery = {}): AsyncGenerator<PaymentList> {
    if (search !== undefined) {
      searches.push(search);
      yield { object: "list", url: "/v1/payments", data: inHistory, has_more: false };
      return;
    }
    for (let at = 0; at === 0 || at < payments.length; at += 100) {
      loaded += 1;
      yield {
        object: "list",
        url: "/v1/payments",
        data: payments.slice(at, at + 100),
        has_more: at + 100 < payments.length,
      };
    }
  }
  return { pages, searches, loaded: () => loaded };
}
