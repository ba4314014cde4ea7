import type { ListPaymentsQuery } from "../../contract/list.ts";
import { defaultPageSize } from "../../contract/page-limits.ts";
import { afterEveryId, idBoundAt } from "../domain/payment-id.ts";
import type { Page, Ports, Scope } from "./ports.ts";
import { ServiceError } from "./service-error.ts";

/**
 * One page of payments, newest first in both directions (specification: list payments). Filters
 * apply before pagination. Errors: parameter_invalid where the cursor names no payment.
 */
export async function listPayments(
  ports: Ports,
  scope: Scope,
  query: ListPaymentsQuery,
): Promise<Page> {
  await cursorExists(ports, scope, "starting_after", query.starting_after);
  await cursorExists(ports, scope, "ending_before", query.ending_before);
  const gte = query["created[gte]"];
  const lt = query["created[lt]"];
  return await ports.store.listPayments(scope, {
    below: lesser(query.starting_after, lt === undefined ? undefined : idBoundAt(lt)),
    above: greater(query.ending_before, gte === undefined ? undefined : idBoundAt(gte)),
    status: query.status,
    direction: query.ending_before ? "backward" : "forward",
    limit: query.limit ?? defaultPageSize,
  });
}

async function cursorExists(
  ports: Ports,
  scope: Scope,
  param: string,
  cursor: string | undefined,
): Promise<void> {
  if (cursor === undefined || (await ports.store.findPayment(scope, cursor))) return;
  throw new ServiceError(
    "parameter_invalid",
    `${param} must be the id of a payment of this account and mode. Take it from a page listed with the same key.`,
    param,
  );
}

function lesser(a = afterEveryId, b = afterEveryId): string {
  return a < b ? a : b;
}

function greater(a = "", b = ""): string {
  return a > b ? a : b;
}
