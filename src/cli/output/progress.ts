import type { ChalkInstance } from "chalk";
import { wantsPlainScreen } from "./style.ts";

const quietMs = 1_000;
const newLineMs = 10_000;
const redrawMs = 200;

/** One line on standard error that shows the progress of long work, and disappears at its end. */
export type Progress = { at: (text: string) => void } & Disposable;

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
  if (!stream.isTTY) return { at: () => {}, [Symbol.dispose]: () => {} };
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
  return {
    at,
    [Symbol.dispose]: () => {
      clearTimeout(held);
      if (isShown && redraws) stream.write("\r\u001b[K");
    },
  };
}
