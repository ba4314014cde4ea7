import { reportFailure, type Check } from "../../../contract/doctor.ts";
import { Unavailable } from "../../../runtime/failures.ts";
import { withTimeout } from "../../../runtime/promises.ts";

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
const timeoutMs = 5_000;

/** Runs checks one after the other, and returns whether none failed. What a check cannot find out is its failure. */
export async function* runSteps(steps: Step[]): AsyncGenerator<Check, boolean> {
  let haveAllPassed = true;
  for (const step of steps) {
    const check = await withTimeout(runStep(step), timeoutMs, () =>
      toFailure(step, new Unavailable(`There was no answer within ${timeoutMs / 1000} s.`)),
    );
    if (check) yield check;
    if (check?.status === "fail") haveAllPassed = false;
  }
  return haveAllPassed;
}

async function runStep(step: Step): Promise<Check | undefined> {
  try {
    return await step.run();
  } catch (error) {
    return toFailure(step, error);
  }
}

function toFailure({ name, help }: Step, error: unknown): Check {
  const { message, hint } = error as { message: string; hint?: string };
  return reportFailure(name, message, typeof help === "string" ? (hint ?? help) : help(error));
}
