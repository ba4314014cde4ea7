/** The things that `payments doctor` checks. */
export type DoctorGroup = "machine" | "service" | "database" | "network";

/**
 * `warn`: it works, and is likely to fail later. `help`: the command, or the step, that helps; null where all is well.
 */
export type DoctorCheck = {
  group: DoctorGroup;
  name: string;
  status: "ok" | "warn" | "fail";
  detail: string;
  help: string | null;
};

/** The result that `payments doctor` prints; the three counts add up to the number of checks. */
export type DoctorReport = {
  object: "doctor";
  ok: number;
  warned: number;
  failed: number;
  checks: DoctorCheck[];
};

/** A check of a group, which the group's name joins later. */
export type Check = Omit<DoctorCheck, "group">;

export function reportOk(name: string, detail: string): Check {
  return { name, status: "ok", detail, help: null };
}

export function reportWarning(name: string, detail: string, help: string): Check {
  return { name, status: "warn", detail, help };
}

export function reportFailure(name: string, detail: string, help: string): Check {
  return { name, status: "fail", detail, help };
}
