import type { DoctorCheck } from "./doctor.ts";

/** A check of a group, which the group's name joins later. */
export type Check = Omit<DoctorCheck, "group">;

// A file of its own: a command that only makes checks need not load the schema compiler.

export function reportOk(name: string, detail: string): Check {
  return { name, status: "ok", detail, help: null };
}

export function reportWarning(name: string, detail: string, help: string): Check {
  return { name, status: "warn", detail, help };
}

export function reportFailure(name: string, detail: string, help: string): Check {
  return { name, status: "fail", detail, help };
}
