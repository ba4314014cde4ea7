import {
  canceledPayment,
  exampleIds,
  exampleOrder,
  examplePayment,
  exampleRequest,
  hostedPayment,
  pendingPayment,
  refundedPayment,
} from "./example-objects.ts";
import { toList, type OperationExamples } from "./operation-example.ts";
import { webhookExamples } from "./webhook-examples.ts";

const card = { number: "4242424242424242", exp_month: 12, exp_year: 2030, cvc: "123" };

/** The examples of each operation, by name. The tests send each request, and compare the response. */
export const operationExamples: OperationExamples = {
  createPayment: {
    succeeded: {
      summary: "A card that is accepted",
      request: { ...exampleOrder, card },
      response: examplePayment,
    },
    pending: {
      summary: "A card that will be declined: retrieve the payment later, or wait for its event",
      request: { ...exampleOrder, card: { ...card, number: "4000000000009995" } },
      response: pendingPayment,
    },
  },
  createHosted: {
    page: {
      summary: "A page that is open for two hours",
      request: {
        ...exampleOrder,
        return_url: "https://shop.example.com/thanks",
        expires_in: 7_200,
      },
      response: hostedPayment,
    },
  },
  listPayments: {
    payments: { summary: "The only page", response: toList("/v1/payments", examplePayment) },
  },
  getPayment: { payment: { summary: "A payment that has succeeded", response: examplePayment } },
  refundPayment: {
    refunded: { summary: "The refunded payment", request: {}, response: refundedPayment },
  },
  cancelPayment: {
    canceled: { summary: "The canceled payment", request: {}, response: canceledPayment },
  },
  getAccount: {
    account: {
      summary: "The account of a test key",
      response: {
        id: exampleIds.account,
        object: "account",
        name: "Books & Co",
        default_version: "2026-11-01",
        livemode: false,
      },
    },
  },
  reportPayments: {
    report: {
      summary: "A month with one payment, which was refunded",
      response: {
        object: "report",
        from: "2026-11-01",
        to: "2026-12-01",
        by: "month",
        livemode: false,
        data: [
          {
            period: "2026-11",
            currency: "eur",
            payments: 1,
            succeeded: 1,
            failed: 0,
            refunded: 1,
            gross: 4999,
            refunds: 4999,
            net: 0,
            success_rate: 1,
            decline_codes: {},
          },
        ],
      },
    },
  },
  ...webhookExamples,
  listRequests: {
    requests: { summary: "The only page", response: toList("/v1/requests", exampleRequest) },
  },
  getRequest: { request: { summary: "A request that was refused", response: exampleRequest } },
};
