import { execFile } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { mask } from "../contract/mask.ts";
import { describeFailure } from "../runtime/dispatch.ts";
import { ConfigError } from "../runtime/failures.ts";
import { escapeControls } from "../runtime/text.ts";
import { ReceiverError } from "./errors.ts";

/** An address, a shell command, or a function. */
export type Effect = string | (() => number | Promise<number>);

const maxReadMs = 5_000;
const betweenMs = 50;
/** How much is shown of what is no integer. */
const maxShown = 80;

/**
 * Opens what counts the receiver's effects. Errors: a `ReceiverError` where nobody answers, a `ConfigError` where there
 * is no integer.
 */
export async function openEffect(
  effect: Effect,
  {
    stillMs = 1_000,
    effectMs = 5_000,
    maxUnsettledMs = 30_000,
  }: {
    stillMs?: number | undefined;
    effectMs?: number | undefined;
    /** How long it may go on rising, where something else changes it. */
    maxUnsettledMs?: number | undefined;
  },
) {
  let settled = await readEffect(effect);
  return {
    /**
     * Waits until the effect has risen by `rise`, for 5 s at most, and has then held still for a second. Returns by
     * how much it has risen since it held still the last time. Error: a `ConfigError` where it never holds still.
     */
    settle: async (rise: number): Promise<number> => {
      const startedMs = performance.now();
      let [count, changedMs] = [settled, startedMs];
      for (;;) {
        const nowMs = performance.now();
        const isDue = count - settled >= rise || nowMs - startedMs >= effectMs;
        if (isDue && nowMs - changedMs >= stillMs) break;
        if (nowMs - startedMs > maxUnsettledMs) {
          throw new ConfigError(
            `The effect has not held still within ${maxUnsettledMs / 1000} s.`,
            "Something else changes it: give a count of what the receiver does because of these events alone.",
          );
        }
        await delay(betweenMs);
        const read = await readEffect(effect);
        if (read !== count) [count, changedMs] = [read, performance.now()];
      }
      const risen = count - settled;
      settled = count;
      return risen;
    },
  };
}

async function readEffect(effect: Effect): Promise<number> {
  const said = await (typeof effect === "function"
    ? effect()
    : /^https?:\/\//i.test(effect)
      ? readAddress(effect)
      : readCommand(effect));
  const count =
    typeof said === "number" ? said : Number(/^\s*(\d+)(?!\S)/.exec(said)?.[1] ?? Number.NaN);
  if (Number.isSafeInteger(count)) return count;
  const was = [...escapeControls(mask(String(said).trim()))].slice(0, maxShown).join("");
  throw new ConfigError(
    "The effect is no integer.",
    `It was “${was}”. It counts what the receiver has done: an address whose body is, or a command whose output begins with, an integer.`,
  );
}

async function readAddress(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(maxReadMs) });
    const text = await response.text();
    if (!response.ok) return `status ${response.status}`;
    return /^\s*\d+\s*$/.test(text) ? text : `body ${text}`;
  } catch (error) {
    const cause = Error.isError(error) && error.cause !== undefined ? error.cause : error;
    throw new ReceiverError(
      `Nobody answers at the effect's address: ${describeFailure(cause)}.`,
      error,
    );
  }
}

/** A command that finds nothing may count 0 and end with another exit code, as grep does. */
async function readCommand(command: string): Promise<string> {
  return await new Promise((resolve, reject) => {
    execFile("sh", ["-c", command], { timeout: maxReadMs }, (error, stdout, stderr) => {
      if (error?.killed && stdout === "") {
        const message = `The effect's command did not end within ${maxReadMs / 1000} s.`;
        reject(new ReceiverError(message, error));
      } else resolve(stdout.trim() === "" ? `nothing ${stderr}` : stdout);
    });
  });
}
