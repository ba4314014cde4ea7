import type { ReadStream, WriteStream } from "node:tty";
import { CommandError } from "../errors/command-error.ts";

/** Where questions are written and answers typed. */
export type Terminal = { input: ReadStream; output: WriteStream };

/** How many choices of a search are seen at a time. */
export const screenful = 10;

/** One of several answers: what it means, and what is shown of it, harmless for a terminal. */
export type Choice<T> = {
  value: T;
  /** Side by side in columns, or one after the other. */
  cells: string[];
  /** What tells it from all others, where the cells may not. */
  detail?: string;
};

export type Search<T> = {
  question: string;
  /** What may be typed, such as `part of an id`. */
  searchable: string;
  /** The choices that fit what was typed; nobody waits for them any more once the signal is set. */
  find: (typed: string, signal: AbortSignal) => Promise<Found<T>>;
};
export type Found<T> = {
  choices: Choice<T>[];
  /** What there is to say about them. */
  note?: string | undefined;
};

/** What is wrong with what was typed, if anything. */
export type Validate = (typed: string) => string | undefined;

/** Asks whoever sits at the terminal. Leaving a question raises a `canceled`. */
export interface Prompter {
  /** Says something that needs no answer. */
  tell: (line: string) => void;
  /** Enter alone means no. */
  confirm: (question: string) => Promise<boolean>;
  /** Asks again, and says why, until the check finds nothing wrong. */
  text: (question: string, check?: Validate) => Promise<string>;
  /** The same for what must never be seen. */
  hidden: (question: string, check?: Validate) => Promise<string>;
  pick: <T>(question: string, choices: Choice<T>[]) => Promise<T>;
  search: <T>(search: Search<T>) => Promise<T>;
}

/** The person said no, or left a question with Ctrl-C or Ctrl-D: nothing has been sent by then. */
export function canceled(message = "Canceled; nothing was sent."): CommandError {
  return new CommandError("canceled", message);
}
