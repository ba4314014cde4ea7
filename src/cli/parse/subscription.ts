import {
  eventTypes,
  allEventTypes,
  normalizeSubscription,
  type Subscription,
} from "../../contract/event-values.ts";
import { usageError } from "../errors/command-error.ts";

/** The types of events that `--events` names, separated by commas or each by itself, in the order of the API. */
export function parseSubscription(typed: readonly string[]): Subscription {
  const names = typed.flatMap((some) => some.split(",")).map((name) => name.trim());
  const known = new Set<string>([...eventTypes, allEventTypes]);
  if (!names.every((name) => known.has(name))) {
    throw usageError(
      `--events must be ${eventTypes.join(", ")}, or '${allEventTypes}' for all. Nothing was sent.`,
    );
  }
  return normalizeSubscription(names);
}
