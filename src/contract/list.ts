import * as z from "zod";
import { maxPageSize } from "./page-limits.ts";
import { payment, paymentStatus } from "./payment.ts";
import { paymentIdPattern } from "./payment-values.ts";

/** A query parameter that holds an integer; a query carries it as text. */
function integerText(min: number, max: number, phrase: string) {
  return z
    .string({ error: phrase })
    .regex(/^[0-9]{1,16}$/, { error: phrase })
    .transform(Number)
    .pipe(z.int({ error: phrase }).min(min, { error: phrase }).max(max, { error: phrase }));
}

const timestamp = () =>
  integerText(
    0,
    Number.MAX_SAFE_INTEGER,
    "must be a Unix timestamp in seconds, such as 1767225600",
  );
const cursor = () =>
  z.string().regex(paymentIdPattern, { error: "must be the id of a payment, such as pay_0199…" });

/** The query of GET /v1/payments (specification: list payments). */
export const listPaymentsQuery = z
  .strictObject({
    limit: integerText(1, maxPageSize, `must be an integer from 1 to ${maxPageSize}`).optional(),
    starting_after: cursor().optional(),
    ending_before: cursor().optional(),
    status: paymentStatus.optional(),
    "created[gte]": timestamp().optional(),
    "created[lt]": timestamp().optional(),
  })
  .refine((query) => !(query.starting_after && query.ending_before), {
    path: ["ending_before"],
    error: "must not be used together with starting_after: send one of them",
  });
export type ListPaymentsQuery = z.infer<typeof listPaymentsQuery>;

/** A page of payments, newest first (specification: List object). */
export const paymentList = z
  .object({
    object: z.literal("list"),
    url: z.string(),
    data: z.array(payment),
    has_more: z.boolean(),
  })
  .meta({ id: "PaymentList" });
export type PaymentList = z.infer<typeof paymentList>;
