import { defaultPageSize } from "../../contract/routes.ts";
import { maxIdOf, toIdBound } from "./object-id.ts";
import { ServiceError } from "./service-error.ts";

/** The payments of a page come to at most this. */
export const maxPageBytes = 1024 * 1024;
/** A stored payment: little more than the largest body that creates one, 64 KiB. */
export const maxPaymentBytes = 68 * 1024;

/** Which part of a list is asked for. Bounds are ids, both exclusive; `forward` is from newer to older. */
export type Range = {
  below: string;
  above: string;
  direction: "forward" | "backward";
  limit: number;
};
/** `items` are newest first in both directions; `hasMore` speaks of the direction of travel. */
export type Listed<Item> = { items: Item[]; hasMore: boolean };

export type ListQuery = {
  limit?: number | undefined;
  starting_after?: string | undefined;
  ending_before?: string | undefined;
  "created[gte]"?: number | undefined;
  "created[lt]"?: number | undefined;
};

const nameOf = {
  pay_: "a payment",
  evt_: "an event",
  del_: "a delivery",
  we_: "a webhook endpoint",
  act_: "an activity",
};

/**
 * The range of ids that a list is asked for (specification: list payments). Errors: parameter_invalid where
 * `find` knows nothing of a cursor.
 */
export async function resolveRange(
  prefix: keyof typeof nameOf,
  query: ListQuery,
  find: (id: string) => Promise<unknown>,
): Promise<Range> {
  for (const param of ["starting_after", "ending_before"] as const) {
    const cursor = query[param];
    if (cursor !== undefined && !(await find(cursor))) throw noSuchCursor(param, nameOf[prefix]);
  }
  const gte = query["created[gte]"];
  const lt = query["created[lt]"];
  const last = maxIdOf(prefix);
  return {
    below: lesser(query.starting_after ?? last, lt === undefined ? last : toIdBound(prefix, lt)),
    above: greater(query.ending_before ?? "", gte === undefined ? "" : toIdBound(prefix, gte)),
    direction: query.ending_before ? "backward" : "forward",
    limit: query.limit ?? defaultPageSize,
  };
}

function noSuchCursor(param: string, name: string): ServiceError {
  return new ServiceError(
    "parameter_invalid",
    `${param} must be the id of ${name} of this account and mode. Take it from a page listed with the same key.`,
    param,
  );
}

function lesser(a: string, b: string): string {
  return a < b ? a : b;
}

function greater(a: string, b: string): string {
  return a > b ? a : b;
}
