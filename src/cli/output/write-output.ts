import type { ChalkInstance } from "chalk";
import { toCsvHeader, toCsvLine } from "../../runtime/records.ts";
import { toSafeJson } from "../../runtime/text.ts";
import { wantsPlainScreen } from "./style.ts";

export const formats = ["table", "json", "ndjson", "csv"] as const;
export type Format = (typeof formats)[number];

/** A command's result: the API's object, the records in it, and the text for a person. */
export type Renderable = {
  value: object;
  records: readonly object[];
  /** The fields that a line of CSV has. */
  columns: readonly string[];
  text: () => string | Promise<string>;
};

/** Renders a command's result in a format, without the last line break. */
export function render(
  { value, records, columns, text }: Renderable,
  format: Format,
  options: { indented: boolean },
): string | Promise<string> {
  switch (format) {
    case "json":
      return toSafeJson(value, options);
    case "ndjson":
      return records.map((record) => toSafeJson(record, { indented: false })).join("\n");
    case "csv":
      return [toCsvHeader(columns), ...records.map((record) => toCsvLine(record, columns))].join(
        "\n",
      );
    default:
      return text();
  }
}

/**
 * A command whose reader has left (`| head`) goes on without output, and ends with its own exit code, which may be a
 * verdict. One that lasts, and that nobody sees any more, ends at once, with exit code 0 (`endsCommand`).
 */
export const closedPipe = { endsCommand: false };

export function isClosedPipe(error: Error | null | undefined): boolean {
  return error != null && "code" in error && error.code === "EPIPE";
}

/**
 * Resolves once standard output has accepted the text, or with the error where it cannot be written, such as that of a
 * closed pipe. Where the reader's leaving ends the command, main.ts ends the process.
 */
export async function writeOutput(text: string | Uint8Array): Promise<Error | undefined> {
  const { stdout } = process;
  if (isClosedPipe(stdout.errored)) return stdout.errored ?? undefined;
  return await new Promise((resolve) => {
    stdout.write(text, (error: Error | null | undefined) => {
      if (!isClosedPipe(error) || !closedPipe.endsCommand) resolve(error ?? undefined);
    });
  });
}

const quietMs = 1_000;
const newLineMs = 10_000;
const redrawMs = 200;

/**
 * One line on standard error that shows the progress of long work, and disappears at its end; `clear` makes room for a
 * line above it.
 */
export type Progress = { at: (text: string) => void; clear: () => void } & Disposable;

/**
 * Shows progress in a terminal, from the second second on. Where the screen must stay plain (ACCESSIBLE,
 * TERM=dumb) it prints a new line every ten seconds instead. A text that comes too early is shown later, unless another
 * one follows it.
 */
export function showProgress(
  stream: NodeJS.WriteStream,
  env: Record<string, string | undefined>,
  style: ChalkInstance,
): Progress {
  if (!stream.isTTY) return { at: () => {}, clear: () => {}, [Symbol.dispose]: () => {} };
  const redraws = !wantsPlainScreen(env);
  let nextMs = performance.now() + quietMs;
  let isShown = false;
  let held: NodeJS.Timeout | undefined;
  const at = (text: string) => {
    clearTimeout(held);
    const waitMs = nextMs - performance.now();
    if (waitMs > 0) {
      held = setTimeout(at, waitMs, text).unref();
      return;
    }
    nextMs = performance.now() + (redraws ? redrawMs : newLineMs);
    isShown = true;
    stream.write(redraws ? `\r\u001b[K${style.dim(text)}` : `${text}\n`);
  };
  const clear = () => {
    clearTimeout(held);
    if (!isShown || !redraws) return;
    stream.write("\r\u001b[K");
    nextMs = 0; // the line is shown again below what is written now
  };
  return { at, clear, [Symbol.dispose]: clear };
}
