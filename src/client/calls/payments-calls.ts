import type * as z from "zod";
import type { createHostedBody } from "../../contract/hosted.ts";
import type { ListPaymentsQuery, PaymentList } from "../../contract/list-object.ts";
import type { createPaymentBody, Payment } from "../../contract/payment.ts";
import { routes } from "../../contract/routes.ts";
import { reverseIfBackward, listPages } from "../list-pages.ts";
import { request, type CallOptions, type Connection } from "../request.ts";
import { waitUntilSettled } from "../wait.ts";
import { write, type WriteOptions } from "../write.ts";

export type CreatePayment = z.input<typeof createPaymentBody>;
export type CreateHosted = z.input<typeof createHostedBody>;

/** What is asked about payments. */
export function paymentCalls(connection: Connection) {
  const payments = {
    /** POST /v1/payments: `succeeded` at once, or `pending` where the card will be declined. */
    create: async (body: CreatePayment, options: WriteOptions = {}): Promise<Payment> =>
      write(connection, routes.createPayment, { body }, options),

    /** POST /v1/payments/hpp: `pending`, to be paid by the customer at its `redirect_url`. */
    createHosted: async (body: CreateHosted, options: WriteOptions = {}): Promise<Payment> =>
      write(connection, routes.createHosted, { body }, options),

    /** GET /v1/payments/{id} */
    retrieve: async (id: string, { signal }: CallOptions = {}): Promise<Payment> =>
      request(connection, routes.getPayment, { params: { id }, signal }),

    /** GET /v1/payments: one page, newest first. */
    list: async (
      query: ListPaymentsQuery = {},
      { signal }: CallOptions = {},
    ): Promise<PaymentList> => request(connection, routes.listPayments, { query, signal }),

    /** POST /v1/payments/{id}/refund: gives the whole amount back. */
    refund: async (id: string, options: WriteOptions = {}): Promise<Payment> =>
      write(connection, routes.refundPayment, { params: { id } }, options),

    /**
     * Page after page from `query` on, up to `total` payments: older ones, or with `ending_before`
     * newer and newer ones.
     */
    pages: (
      query: ListPaymentsQuery = {},
      total?: number,
      options?: CallOptions,
    ): AsyncGenerator<PaymentList> =>
      listPages(query, async (next) => payments.list(next, options), total),

    /** Every payment of those pages, in the order of travel. */
    all: (query: ListPaymentsQuery = {}, options?: CallOptions): AsyncGenerator<Payment> =>
      reverseIfBackward(payments.pages(query, undefined, options), query),

    /**
     * Waits for a pending payment's outcome, for `timeoutMs`, and for the last answer a second more; gives
     * the payment as it was seen last, which may still be pending.
     */
    settled: async (
      payment: Payment,
      timeoutMs = 30_000,
      { signal }: CallOptions = {},
    ): Promise<Payment> => {
      const over = new AbortController();
      const given = AbortSignal.any([over.signal, ...(signal ? [signal] : [])]);
      const retrieve = async (id: string) => payments.retrieve(id, { signal: given });
      try {
        return await waitUntilSettled(payment, retrieve, timeoutMs, signal);
      } finally {
        over.abort(); // the last question may still be under way, and would be asked again
      }
    },
  };
  return payments;
}
