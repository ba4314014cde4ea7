import * as z from "zod";

/** The things that `payments doctor` checks. */
const doctorGroups = ["machine", "service", "database", "network"] as const;

/**
 * `warn`: it works, and is likely to fail later. `help`: the command, or the step, that helps; null where all is well.
 */
const doctorCheck = z.object({
  group: z.enum(doctorGroups),
  name: z.string(),
  status: z.enum(["ok", "warn", "fail"]),
  detail: z.string(),
  help: z.string().nullable(),
});

/** The result that `payments doctor` prints; the three counts add up to the number of checks. */
export const doctorReport = z.object({
  object: z.literal("doctor"),
  ok: z.int(),
  warned: z.int(),
  failed: z.int(),
  checks: z.array(doctorCheck),
});

export type DoctorGroup = (typeof doctorGroups)[number];
export type DoctorCheck = z.infer<typeof doctorCheck>;
export type DoctorReport = z.infer<typeof doctorReport>;
