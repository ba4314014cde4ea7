import * as z from "zod";
import { integer, paymentId } from "./field-schemas.ts";
import { maxPageSize } from "./routes.ts";
import { payment, paymentStatus } from "./payment.ts";

/** A query parameter that holds an integer; a query carries it as text. */
function integerText(min: number, max: number, phrase: string) {
  return z
    .string({ error: phrase })
    .regex(/^[0-9]{1,16}$/, { error: phrase })
    .transform(Number)
    .pipe(integer(min, max, phrase));
}

const timestamp = () =>
  integerText(
    0,
    Number.MAX_SAFE_INTEGER,
    "must be a Unix timestamp in seconds, such as 1767225600",
  );

/** A page of what is listed, newest first (specification: List object). */
export function listOf<Item extends z.ZodType>(item: Item, id: string) {
  return z
    .object({
      object: z.literal("list"),
      url: z.string(),
      data: z.array(item),
      has_more: z.boolean(),
    })
    .meta({ id });
}

/** A page of `Item`s, newest first. */
export type List<Item> = { object: "list"; url: string; data: Item[]; has_more: boolean };

type Cursors = { starting_after?: unknown; ending_before?: unknown };

/** The query of every list: cursors are ids, and `filters` are the list's own parameters. */
export function listQuery<Filters extends z.ZodRawShape>(id: z.ZodString, filters: Filters) {
  return z
    .strictObject({
      limit: integerText(1, maxPageSize, `must be an integer from 1 to ${maxPageSize}`).optional(),
      starting_after: id.optional(),
      ending_before: id.optional(),
      ...filters,
    })
    .refine((query: Cursors) => !(query.starting_after && query.ending_before), {
      path: ["ending_before"],
      error: "must not be used together with starting_after: send one of them",
    });
}

/** Narrows a list by time of creation. */
export const createdRange = {
  "created[gte]": timestamp().optional(),
  "created[lt]": timestamp().optional(),
};

/** The query of GET /v1/payments (specification: list payments). */
export const listPaymentsQuery = listQuery(paymentId, {
  status: paymentStatus.optional(),
  ...createdRange,
});
export type ListPaymentsQuery = z.infer<typeof listPaymentsQuery>;

/** A page of payments, newest first (specification: list payments). */
export const paymentList = listOf(payment, "PaymentList");
export type PaymentList = z.infer<typeof paymentList>;
