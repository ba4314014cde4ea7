import type * as z from "zod";
import type { routes } from "../../src/contract/routes.ts";

/** A request, and the response to it. One without a body has no `request`. */
export type OperationExample = { summary: string; request?: object; response: object };

type RouteName = keyof typeof routes;
type ExampleOf<Name extends RouteName> = {
  summary: string;
  response: z.infer<(typeof routes)[Name]["response"]>;
} & ((typeof routes)[Name] extends { body: infer Body extends z.ZodType }
  ? { request?: z.input<Body> }
  : object);

/** The examples of each route's operation, by name: each request and response as the contract has it. */
export type OperationExamples<Names extends RouteName = RouteName> = {
  [Name in Names]: Record<string, ExampleOf<Name>>;
};

/** The only page of a list. */
export function toList<Item>(url: string, ...data: Item[]) {
  return { object: "list" as const, url, data, has_more: false };
}
