import { ServiceError } from "../../domain/service-error.ts";

/** For how many hours what is replaced still works, and how that is called. */
export const overlaps = [
  ["0", "Not at all"],
  ["1", "1 hour"],
  ["24", "24 hours"],
  ["72", "3 days"],
  ["168", "7 days"],
] as const;
export const defaultOverlap = "24";

/** The hours of an overlap that a form offers. Errors: parameter_invalid. */
export function parseOverlap(chosen: string): number {
  if (overlaps.some(([hours]) => hours === chosen)) return Number(chosen);
  throw new ServiceError("parameter_invalid", "The form offers no such overlap.", "overlap");
}
