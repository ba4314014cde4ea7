import type { ReadStream, WriteStream } from "node:tty";
import { CommandError } from "../output/command-error.ts";

export type Terminal = { input: ReadStream; output: WriteStream };

/** The number of choices on one screen of a search. */
export const pageSize = 10;

/** One of several possible answers: its value, and its text without control characters. */
export type Choice<T> = {
  value: T;
  /** Side by side in columns, or one after the other. */
  cells: string[];
  /** Identifies the choice where two may have the same cells. */
  detail?: string;
};

export type Search<T> = {
  question: string;
  /** The kind of text to type, such as `part of an id`. */
  searchable: string;
  /**
   * Finds the choices that match the typed text. Each result replaces the one before it; the signal aborts when the
   * user has typed on, or has left.
   */
  find: (typed: string, signal: AbortSignal) => AsyncIterable<SearchResult<T>>;
};
export type SearchResult<T> = {
  choices: Choice<T>[];
  note?: string | undefined;
  /** Whether a fuller result follows in a moment: a screen that is not redrawn waits for it. */
  isPartial?: boolean;
};

/** The mistake in a typed text, as a sentence; undefined where there is none. */
export type Validate = (typed: string) => string | undefined;

/** Prompts in a terminal. Leaving one raises `canceled`. */
export interface Prompter {
  /** Prints a line that needs no answer. */
  print: (line: string) => void;
  /** Enter alone means no. */
  confirm: (question: string) => Promise<boolean>;
  /** Asks again, with the mistake, until the text is valid. A wrong text may be edited, unless `clears`. */
  text: (question: string, validate?: Validate, options?: { clears: boolean }) => Promise<string>;
  /** As `text`, for a secret, which is not shown as it is typed. */
  hidden: (question: string, validate?: Validate) => Promise<string>;
  pick: <T>(question: string, choices: Choice<T>[]) => Promise<T>;
  search: <T>(search: Search<T>) => Promise<T>;
}

/** The error for a user who said no, or left a prompt with Ctrl-C or Ctrl-D, before anything was sent. */
export function canceled(message = "Canceled; nothing was sent."): CommandError {
  return new CommandError("canceled", message);
}
