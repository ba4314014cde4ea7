import type { FaultInput } from "../../contract/sandbox.ts";
import { usageError } from "../errors/command-error.ts";

type Typed = { on: string; do: string };
type FaultFlags = {
  times: number;
  after: number;
  for?: string | undefined;
  status?: number | undefined;
  code?: string | undefined;
};

/** The flag or argument of each field, as a message names it. */
const names: Record<string, string> = { on: "<on>", do: "<do>" };

/** Parses a fault by the contract; a word of it may be typed with hyphens. Errors: what the contract refuses. */
export async function parseFault(typed: Typed, flags: FaultFlags): Promise<FaultInput> {
  const { faultBody } = await import("../../contract/sandbox.ts");
  const body = {
    on: typed.on.trim(),
    do: typed.do.replaceAll("-", "_"),
    times: flags.times,
    after: flags.after,
    for: flags.for,
    status: flags.status,
    code: flags.code?.replaceAll("-", "_"),
  };
  const { error } = faultBody.safeParse(body);
  if (!error) return body as FaultInput;
  const [issue] = error.issues;
  const field = String(issue?.path[0] ?? "do");
  throw usageError(`${names[field] ?? `--${field}`} ${issue?.message}.`);
}
