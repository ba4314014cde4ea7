import {
  eventTypes,
  everyType,
  subscriptionTo,
  type Subscription,
} from "../../contract/event-values.ts";
import { usageError } from "../errors/command-error.ts";

/** The types of events that `--events` names, separated by commas or each by itself, in the order of the API. */
export function checkedSubscription(typed: readonly string[]): Subscription {
  const names = typed.flatMap((some) => some.split(",")).map((name) => name.trim());
  const known = new Set<string>([...eventTypes, everyType]);
  if (!names.every((name) => known.has(name))) {
    throw usageError(
      `--events must be ${eventTypes.join(", ")}, or '${everyType}' for all. Nothing was sent.`,
    );
  }
  return subscriptionTo(names);
}
