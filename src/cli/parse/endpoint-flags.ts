import type { UpdateEndpoint } from "../../client/calls.ts";
import {
  allEventTypes,
  eventTypes,
  maxOverlapHours,
  normalizeSubscription,
  type Subscription,
} from "../../contract/field-values.ts";
import { updateEndpointBody } from "../../contract/webhook-endpoint.ts";
import { usageError } from "../errors/command-error.ts";
import { parseDuration } from "./time.ts";

type EndpointFlags = {
  url?: string | undefined;
  events?: string[] | undefined;
  description?: string | undefined;
};

/** Parses the flags of an endpoint, and refuses what the API would refuse before anything is sent. */
export function parseEndpointRequest({ url, events, description }: EndpointFlags): UpdateEndpoint {
  const body = {
    ...(url !== undefined && { url }),
    ...(events && { events: parseSubscription(events) }),
    ...(description !== undefined && { description: description || null }),
  };
  const [mistake] = updateEndpointBody.safeParse(body).error?.issues ?? [];
  if (!mistake) return body;
  throw usageError(`--${String(mistake.path[0])} ${mistake.message}. Nothing was sent.`);
}

const hourMs = 3_600_000;

/** Parses the number of hours for which the old secret still signs besides the new one. */
export function parseOverlapHours(text: string): number {
  const hours = parseDuration(text, "--overlap") / hourMs;
  if (Number.isInteger(hours) && hours <= maxOverlapHours) return hours;
  throw usageError(`--overlap must be whole hours, from 0h to ${maxOverlapHours}h.`);
}

/** Parses `--events`, a list with commas or repeated flags, into the order of the API. */
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
