import { pageModeHeader, pagePaymentHeader } from "../contract/route.ts";
import { fillTestCard } from "../contract/card.ts";
import type { Payment } from "../contract/payment.ts";
import { checkOptions, isText, optional, required, type OptionRules } from "../runtime/options.ts";
import { checkPayment } from "./calls.ts";
import { CheckoutError, UnexpectedAnswerError, isRetryable } from "./errors.ts";
import type { AttemptResult } from "./read-response.ts";
import {
  callOptions,
  request,
  sendWithRetries,
  type CallOptions,
  type Connection,
} from "./request.ts";
import { parseRetryAfter } from "../runtime/time.ts";
import type { TransportAnswer } from "../runtime/http-transport.ts";

export type PayOptions = CallOptions & {
  /** A name from `payments test-cards`. */
  testCard: string;
  /** The customer's decision when the bank asks for a confirmation; `approve` by default. */
  challenge?: "approve" | "decline" | undefined;
};

const payOptions: OptionRules<PayOptions> = {
  ...callOptions,
  testCard: required(isText, "the name of a test card, such as visa"),
  challenge: optional(
    (decision) => decision === "approve" || decision === "decline",
    "approve or decline",
  ),
};

/** A payment page as it answers a request, and the path below the page to which it redirects. */
type Page = { status: number; headers: Record<string, string>; html: string; next?: string };

/** From a form to the page of its outcome, with a challenge between them. */
const maxRedirects = 5;

/** The actions of customers on payment pages, over HTTP, as a browser without scripts. */
export function checkoutCalls(connection: Connection) {
  const visit = async (page: string, path: string, options: Visit): Promise<Page> =>
    followRedirects(async (at, form) => send(connection, page, at, { ...options, form }), {
      path,
      form: options.form,
    });

  return {
    /**
     * The payment of a page, by the page's address. Errors: `CheckoutError` where the service has no such page, and
     * where the page takes real cards.
     */
    findPayment: async (url: string, options: CallOptions = {}): Promise<Payment> => {
      checkOptions(options, callOptions, "This call");
      const page = parsePagePath(url);
      const { headers } = await visit(page, "", options);
      const id = headers[pagePaymentHeader];
      if (id === undefined) {
        throw new CheckoutError("missing", "The service has no payment page at this address.");
      }
      if (headers[pageModeHeader] !== "test") throw livePage();
      return await request(connection, "GET /v1/payments/:id", { params: { id } }, options);
    },

    /**
     * Pays a payment on its page with a test card, in test mode, and returns the payment as it is then: `pending`
     * where the card will be declined. A page whose customer is at the bank is continued there. Errors:
     * `CheckoutError`; a `TypeError` for the name of no test card.
     */
    pay: async (payment: Payment, options: PayOptions): Promise<Payment> => {
      checkPayment(payment);
      checkOptions(options, payOptions, "This call");
      const { testCard, challenge = "approve", signal } = options;
      const { id, livemode, redirect_url } = payment;
      if (livemode) throw livePage();
      if (redirect_url === null) throw new CheckoutError("none", "This payment has no page.");
      if (payment.status !== "pending") throw closedPage(describeEnd(payment));
      const form = toForm(testCard);
      const path = parsePagePath(redirect_url);
      let page = await visit(path, "", { signal });
      if (page.status === 404) throw closedPage("it has expired");
      if (hasField(page, "number")) page = await visit(path, "", { form, signal });
      else if (!isAtBank(page)) throw closedPage("its payment is being processed");
      assertAccepted(page);
      if (isAtBank(page)) {
        page = await visit(path, challengePath, { form: { decision: challenge }, signal });
      }
      return await request(connection, "GET /v1/payments/:id", { params: { id } }, { signal });
    },
  };
}

type Visit = CallOptions & { form?: Record<string, string> | undefined };

const challengePath = "/challenge";

async function followRedirects(
  visit: (path: string, form?: Record<string, string>) => Promise<Page>,
  { path, form }: { path: string; form?: Record<string, string> | undefined },
): Promise<Page> {
  let page = await visit(path, form);
  for (let count = 0; page.next !== undefined && count < maxRedirects; count++) {
    page = await visit(page.next);
  }
  return page;
}

/** One request for a page: with `form` its form is sent. A form may be sent again, since a page is paid once. */
async function send(
  connection: Connection,
  page: string,
  path: string,
  { form, signal }: Visit,
): Promise<Page> {
  const { timeoutMs } = connection;
  const sent = form && {
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(form).toString(),
  };
  const method = form ? "POST" : "GET";
  const prepared = { method, path: page + path, headers: {}, timeoutMs, ...sent } as const;
  const read = async (response: TransportAnswer) => readPage(page, response);
  return (await sendWithRetries(connection, prepared, read, { signal })).value;
}

/** A page, also one that says what is wrong with a card, or that there is no page. */
function readPage(page: string, { status, headers, body }: TransportAnswer): AttemptResult<Page> {
  if (status < 400 || status === 404 || status === 422) {
    const next = headers["location"]?.split(page)[1];
    return { value: { status, headers, html: body, ...(next !== undefined && { next }) }, headers };
  }
  const what = isRetryable(status, "") ? "is not available right now" : "refused the request";
  const message = `The payment page ${what} (HTTP ${status}).`;
  const error = new UnexpectedAnswerError(status, message);
  error.retryAfterMs = parseRetryAfter(headers["retry-after"], Date.now());
  return { error };
}

/** `/pay/TOKEN`, below the base URL: behind a proxy the page's own address may have another origin. */
function parsePagePath(url: string): string {
  const [page] = /\/pay\/[0-9A-Za-z]{1,64}$/.exec(URL.parse(url)?.pathname ?? "") ?? [];
  if (page !== undefined) return page;
  throw new CheckoutError(
    "none",
    "This is not the address of a payment page, which ends in /pay/ and a token.",
  );
}

function toForm(testCard: string): Record<string, string> {
  const card = fillTestCard(testCard);
  if (!card) throw new TypeError("testCard names no test card. payments test-cards lists them.");
  const { number, exp_month, exp_year, cvc } = card;
  return { number, expiry: `${exp_month}/${exp_year}`, cvc, name: "" };
}

function hasField({ html }: Page, name: string): boolean {
  return new RegExp(`<input [^>]*name="${name}"`).test(html);
}

/** Whether the page leads to the challenge of the simulator, which stands in for the customer's bank. */
function isAtBank({ headers }: Page): boolean {
  return headers["refresh"]?.endsWith(challengePath) ?? false;
}

/** Errors: the form says what is wrong with the card. */
function assertAccepted({ status, html }: Page): void {
  if (status !== 422) return;
  const mistakes = [...html.matchAll(/<p class="mistake"[^>]*>([^<]+)</g)].map(([, text]) => text);
  throw new CheckoutError("refused", `The payment page refused the card: ${mistakes.join(" ")}`);
}

function livePage(): CheckoutError {
  return new CheckoutError("live", "This payment page is live, and takes real cards.");
}

function closedPage(why: string): CheckoutError {
  return new CheckoutError("closed", `The payment page takes no card: ${why}.`);
}

function describeEnd({ status, decline_code }: Payment): string {
  if (status !== "failed") return "it is paid";
  if (decline_code === "hpp_expired") return "it has expired";
  return decline_code?.endsWith("canceled")
    ? "it was canceled"
    : `its payment failed (${decline_code})`;
}
