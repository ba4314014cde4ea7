/** Compiled beside the generated types: the strictest settings, and nothing of a library left unchecked. */
export const strictSettings = {
  compilerOptions: {
    target: "es2024",
    lib: ["es2024", "esnext.iterator"],
    module: "nodenext",
    types: ["node"],
    strict: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    allowImportingTsExtensions: true,
    skipLibCheck: false,
    noEmit: true,
  },
};

/**
 * A program that uses the generated types. It compiles only if each response that they describe is the one of the
 * contract, in both directions, and if they refuse what the API refuses.
 */
export const typedProgram = `
import type { components, operations, webhooks } from "./types.ts";
import type { EventType } from "../../src/contract/field-values.ts";
import type { Event, TestEvent } from "../../src/contract/event.ts";
import type { routes } from "../../src/contract/routes.ts";
import type * as z from "zod";

type Name = keyof typeof routes;
type Json<Response> = Response extends { content: { "application/json": infer Body } } ? Body : never;
type Described = {
  [Each in Name]: Json<
    operations[Each]["responses"][(typeof routes)[Each]["status"] & keyof operations[Each]["responses"]]
  >;
};
type Contract = { [Each in Name]: z.infer<(typeof routes)[Each]["response"]> };
/** The description takes types of events that are not known yet. */
type Opened<T> = [T] extends [EventType]
  ? [EventType] extends [T] ? string : T
  : T extends object ? { [Field in keyof T]: Opened<T[Field]> } : T;
export const toContract = (described: Described): Opened<Contract> => described;
export const toDescribed = (contract: Opened<Contract>): Described => contract;

type Received = {
  [Type in keyof webhooks]: webhooks[Type]["post"]["requestBody"]["content"]["application/json"];
};
export const toEvent = (received: Received): Opened<Event> => received["payment.failed"];
export const toTestEvent = (received: Received): TestEvent => received["webhook.test"];

export const order: components["schemas"]["CreatePayment"] = {
  amount: 4999,
  currency: "eur",
  card: { number: "4242424242424242", exp_month: 12, exp_year: 2030, cvc: "123" },
  customer: { email: "ada@example.com" },
  metadata: { order_id: "1001" },
};
// @ts-expect-error: a payment has a currency
export const incomplete: components["schemas"]["CreatePayment"] = { amount: 1, card: order.card };
// @ts-expect-error: this currency is not supported
export const unsupported: components["schemas"]["CreatePayment"] = { ...order, currency: "xyz" };

export function wait(refused: operations["createPayment"]["responses"][429]): number {
  return refused.headers["Retry-After"] ?? 1;
}
`;
