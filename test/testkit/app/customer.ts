import type { Payment } from "../../../src/contract/payment.ts";
import type { ChargeOutcome, LookUpOutcome } from "../../../src/service/networks/card-network.ts";
import type { PageView } from "../../../src/service/web/checkout/page-view.ts";
import {
  renderPaymentPage,
  paymentPageStyle,
  paymentPageScript,
} from "../../../src/service/web/checkout/payment-page.ts";
import { fakeNetwork } from "../network/fake-network.ts";
import { type Answer, type Around, type Call, openAppForTest } from "./open-app.ts";

export const form = "application/x-www-form-urlencoded";
export const visa = { number: "4242 4242 4242 4242", expiry: "12 / 40", cvc: "987", name: "Ada" };

/** The view of a payment with only an amount. */
export const plainView = {
  merchant: null,
  amount: 4999,
  currency: "eur",
  description: null,
  livemode: false,
  language: "en",
};
export const blank = {
  nowMs: 0,
  mistakes: {},
  isBankBusy: false,
  prefill: { expiry: "", name: "" },
};
/** The other fields of the view of a payment that is not open, by default. */
export const closedView = {
  receipt: null,
  declineCode: null,
  wasChargeRequested: true,
  returnTo: null,
  bankUrl: null,
  cancelAction: null,
};

/** The receipt on the page of a paid payment. */
export function receiptOf({ succeeded_at, card }: Payment) {
  return { paidAt: succeeded_at ?? 0, brand: card?.brand ?? "", last4: card?.last4 ?? "" };
}

type PlainView<View> = View extends PageView
  ? Omit<View, "reference" | "language"> & { language?: string }
  : never;

/** Whether a response is the page of a view, byte for byte except for its timestamp and the payment's id. */
export function isPage(answer: Answer, view: PlainView<PageView>): boolean {
  const reference = /pay_[0-9a-f-]{36}/.exec(answer.text)?.[0] ?? "";
  const page = renderPaymentPage({ reference, language: "en", ...view } as PageView);
  return removeTime(answer.text) === removeTime(page);
}

function removeTime(page: string): string {
  return page.replace(/\sdata-now="\d+"/, "");
}

/** The parts of a response that depend on the request: without random values, times, scripts and styles. */
export function saidIn({ text, headers }: Answer): string {
  const {
    "service-request-id": _id,
    date: _date,
    "content-security-policy": _hashes,
    ...rest
  } = headers;
  const own = removeTime(text)
    .replace(paymentPageStyle, "")
    .replace(paymentPageScript, "")
    .replace(/<header class="band test">[^]*?<\/header>/, ""); // the list of test cards
  return own + JSON.stringify(rest);
}

/** The service with a customer's browser: it opens pages and sends their forms, without a key. */
export async function openAppWithCustomer(around?: Around) {
  const opened = await openAppForTest(around);
  const { call } = opened;
  const visit = async (path: string, headers: Record<string, string> = {}) =>
    call({ path, key: null, headers });
  const submit = async (path: string, fields: object | string = {}, rest: Partial<Call> = {}) => {
    const body =
      typeof fields === "string"
        ? fields
        : new URLSearchParams(fields as Record<string, string>).toString();
    return await call({ method: "POST", path, key: null, body, type: form, ...rest });
  };
  const create = async (fields: object = {}, key: "test" | "live" = "test") => {
    const body = { amount: 4999, currency: "eur", ...fields };
    const { text } = await call({ method: "POST", path: "/v1/payments/hpp", body, key });
    const created = JSON.parse(text) as Payment;
    return {
      created,
      path: new URL(created.redirect_url ?? "").pathname,
      payment: async () => {
        const answer = await call({ path: `/v1/payments/${created.id}`, key });
        return JSON.parse(answer.text) as Payment;
      },
    };
  };
  return { ...opened, visit, submit, create };
}

export const bankUrl = "https://bank.test/confirm?token=bank-secret";
/** The network says that the bank asks the customer. */
export const action = {
  outcome: "action",
  reference: "ch_at_bank",
  url: bankUrl,
  retryAfterMs: 60_000,
} as const satisfies ChargeOutcome;

/** The service attached to a network, whose customers a bank asks for a confirmation. */
export async function openAppWithBank(around: Around = {}) {
  const fake = fakeNetwork();
  const opened = await openAppWithCustomer({ ...around, network: fake.networkOf });
  const { create, submit, visit, service } = opened;
  return {
    ...opened,
    fake,
    /** A payment whose customer has paid on its page, and is at the bank. */
    sendToBank: async () => {
      const page = await create();
      fake.steps.charge.push((decide) => decide(action));
      await submit(page.path, visa);
      return page;
    },
    /** The customer comes back to a page, while the network says this. */
    comeBack: async (path: string, answer: Exclude<LookUpOutcome, { outcome: "unknown" }>) => {
      fake.steps.lookUp.push(() => answer);
      await visit(`${path}/return`);
    },
    /** Settles the charges that are due. */
    settleCharges: async () => {
      const settler = service.createChargeSettler({
        wake: () => {},
        broken: (error) => {
          throw error;
        },
      });
      await settler.settle();
      await settler.idle();
    },
  };
}
