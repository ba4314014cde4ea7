import type { ChalkInstance } from "chalk";
import { wantsPlainScreen } from "./style.ts";

const quietMs = 1_000;
const everyMs = 200;

/** One line on standard error that says how far a long piece of work is; gone when it ends. */
export type Progress = { at: (text: string) => void } & Disposable;

/**
 * Progress for a terminal, from the second second on. Where lines may not be redrawn (ACCESSIBLE,
 * TERM=dumb) each is a line of its own, ten seconds apart.
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
  return {
    at: (text) => {
      if (performance.now() < nextMs) return;
      nextMs = performance.now() + (redraws ? everyMs : 50 * everyMs);
      isShown = true;
      stream.write(redraws ? `\r\u001b[K${style.dim(text)}` : `${text}\n`);
    },
    [Symbol.dispose]: () => {
      if (isShown && redraws) stream.write("\r\u001b[K");
    },
  };
}
