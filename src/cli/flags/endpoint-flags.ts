import * as Flags from "@oclif/core/flags";
import type { InferredFlags } from "@oclif/core/interfaces";
import type { UpdateEndpoint } from "../../client/calls.ts";
import {
  type Subscription,
  allEventTypes,
  eventTypes,
  normalizeSubscription,
} from "../../contract/field-values.ts";
import { updateEndpointBody } from "../../contract/webhook-endpoint.ts";
import { usageError } from "../output/command-error.ts";
import { textFlag } from "./flags.ts";

export const eventsFlag = {
  events: Flags.string({
    summary: "Which events, separated by commas; '*' stands for all.",
    multiple: true,
    multipleNonGreedy: true,
    helpValue: "<types>",
  }),
};

/** The properties of an endpoint, without its URL. */
export const endpointFlags = {
  ...eventsFlag,
  description: textFlag("What the endpoint is for.", "<text>"),
};

type EndpointFlags = Partial<InferredFlags<typeof endpointFlags>> & { url?: string | undefined };

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
