import { defaultPageSize } from "../../contract/field-values.ts";
import { maxIdOf, toIdBound } from "./object-id.ts";
import { ServiceError } from "../../contract/service-error.ts";

/** The maximum size of the payments of a page. */
export const maxPageBytes = 1024 * 1024;
/** The maximum size of a stored payment: little more than the largest body that creates one, 64 KiB. */
export const maxPaymentBytes = 68 * 1024;

/** The requested part of a list. Bounds are ids, both exclusive; `forward` is from newer to older. */
export type Range = {
  below: string;
  above: string;
  direction: "forward" | "backward";
  limit: number;
};
/** `items` are newest first in both directions; `hasMore` is about the direction of the request. */
export type Listed<Item> = { items: Item[]; hasMore: boolean };

export type ListQuery = {
  limit?: number | undefined;
  starting_after?: string | undefined;
  ending_before?: string | undefined;
  "created[gte]"?: number | undefined;
  "created[lt]"?: number | undefined;
};

const objectNames = {
  pay_: "a payment",
  evt_: "an event",
  del_: "a delivery",
  we_: "a webhook endpoint",
  act_: "an activity",
  req_: "a request",
};

/**
 * The range of ids that a query requests (specification: list payments). Errors: parameter_invalid where `find` does
 * not find a cursor.
 */
export async function resolveRange(
  prefix: keyof typeof objectNames,
  query: ListQuery,
  find: (id: string) => Promise<unknown>,
): Promise<Range> {
  for (const param of ["starting_after", "ending_before"] as const) {
    const cursor = query[param];
    if (cursor !== undefined && !(await find(cursor)))
      throw cursorError(param, objectNames[prefix]);
  }
  const gte = query["created[gte]"];
  const lt = query["created[lt]"];
  const last = maxIdOf(prefix);
  return {
    below: minText(query.starting_after ?? last, lt === undefined ? last : toIdBound(prefix, lt)),
    above: maxText(query.ending_before ?? "", gte === undefined ? "" : toIdBound(prefix, gte)),
    direction: query.ending_before ? "backward" : "forward",
    limit: query.limit ?? defaultPageSize,
  };
}

function cursorError(param: string, name: string): ServiceError {
  return new ServiceError(
    "parameter_invalid",
    `${param} must be the id of ${name} of this account and mode. Take it from a page listed with the same key.`,
    param,
  );
}

function minText(a: string, b: string): string {
  return a < b ? a : b;
}

function maxText(a: string, b: string): string {
  return a > b ? a : b;
}
