import type * as z from "zod";
import { createHostedBody } from "./hosted.ts";
import { keyAccount } from "./key-account.ts";
import { listPaymentsQuery, paymentList } from "./list.ts";
import { createPaymentBody, payment, refundPaymentBody } from "./payment.ts";
import type { Answers, routes } from "./routes.ts";

/** What a request may carry. */
export type RequestSchemas = { body?: z.ZodType; query?: z.ZodType };

export const requestSchemas = {
  createPayment: { body: createPaymentBody },
  createHosted: { body: createHostedBody },
  listPayments: { query: listPaymentsQuery },
  getPayment: {},
  refundPayment: { body: refundPaymentBody },
  getAccount: {},
} as const satisfies Record<keyof typeof routes, RequestSchemas>;

export const answerSchemas = { payment, list: paymentList, account: keyAccount } satisfies Record<
  keyof Answers,
  z.ZodType
>;
