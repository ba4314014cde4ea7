import { type Check, reportFailure } from "../../../contract/doctor.ts";

/**
 * One check. `help` is for an error of `run`: as a text where the error has no hint, as a function always. `run` returns
 * undefined where there is nothing to say.
 */
export type Step = {
  name: string;
  help: string | ((error: unknown) => string);
  run: () => Check | undefined | Promise<Check | undefined>;
};

/** How long a check may take: a pool waits 2 s for a connection, and 3 s for an answer. */
export const timeoutMs = 5_000;

export async function runStep(step: Step): Promise<Check | undefined> {
  try {
    return await step.run();
  } catch (error) {
    return toFailure(step, error);
  }
}

export function toFailure({ name, help }: Step, error: unknown): Check {
  const { message, hint } = error as { message: string; hint?: string };
  return reportFailure(name, message, typeof help === "string" ? (hint ?? help) : help(error));
}
