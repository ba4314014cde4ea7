import type { ListPaymentsQuery } from "../../contract/list.ts";
import type { PaymentStatus } from "../../contract/payment.ts";
import { checkedPaymentId } from "./checked-values.ts";
import { pointInTime } from "./point-in-time.ts";

type Filters = {
  status?: PaymentStatus | undefined;
  "created-gte"?: string | undefined;
  "created-lt"?: string | undefined;
  "starting-after"?: string | undefined;
  "ending-before"?: string | undefined;
};

/** What the flags of `list` ask the API for, at a time in Unix milliseconds. */
export function listQuery(flags: Filters, nowMs: number): ListPaymentsQuery {
  const { "created-gte": gte, "created-lt": lt } = flags;
  return {
    status: flags.status,
    starting_after: checkedPaymentId(flags["starting-after"], "--starting-after"),
    ending_before: checkedPaymentId(flags["ending-before"], "--ending-before"),
    "created[gte]": gte === undefined ? gte : pointInTime(gte, "--created-gte", nowMs),
    "created[lt]": lt === undefined ? lt : pointInTime(lt, "--created-lt", nowMs),
  };
}
