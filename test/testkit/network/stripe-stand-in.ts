import { type IncomingMessage, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished } from "vitest";
import type { CardNetwork, Charge } from "../../../src/service/networks/card-network.ts";
import { createStripeNetwork } from "../../../src/service/networks/stripe-network.ts";
import { openUntilFileEnds } from "../open-until-file-ends.ts";
import { cardWith, chargeWith } from "./fake-network.ts";
import {
  type OperationName,
  type Reply,
  StripeAccount,
  failure,
  operations,
  refuseRequest,
} from "./stripe-account.ts";
import { type Params, cardRequiringAction } from "./stripe-objects.ts";

// A server that stands in for Stripe, after its published API, with the same refusals and the same idempotency. A
// test can make it lose answers, answer late, or fail.

export const secretKey = "sk_test_standIn";

type ReceivedRequest = {
  operation: OperationName;
  params: Params;
  headers: IncomingMessage["headers"];
};
/** A text as the body is sent as it is. */
type Answer = Omit<Reply, "body"> & { body: object | string };
/** A fault: it gets the regular work, and returns the answer; without one the connection is cut. */
export type Fault = (work: () => Reply) => Answer | undefined | Promise<Answer | undefined>;

export type StripeStandIn = {
  url: string;
  account: StripeAccount;
  /** The requests so far. */
  requests: ReceivedRequest[];
  /** Makes the next request for an operation fail; further faults apply to later requests, in order. */
  next: (operation: OperationName, fault: Fault) => void;
  /** Deletes all idempotency keys, as Stripe does after a day. */
  deleteKeys: () => void;
};

/** The work is done, and the answer is lost. */
export const lost: Fault = (work) => void work();
/** The request never arrives. */
export const dropRequest: Fault = () => undefined;
/** Nothing is done, and another answer is sent. */
export const answers =
  (status: number, body: object | string): Fault =>
  () => ({ status, body });
/** The work is done, and some fields of the answer are replaced. */
export const answerWith =
  (fields: object): Fault =>
  (work) => ({ status: 200, body: { ...work().body, ...fields } });
const apiError = failure(500, { type: "api_error" });
/** Stripe fails before the work is done. */
export const failBefore: Fault = () => apiError;
/** Stripe fails after the work is done. */
export const failAfter: Fault = (work) => {
  work();
  return apiError;
};

export async function startStripeStandIn(): Promise<StripeStandIn> {
  const account = new StripeAccount((intentId) => `${getUrl()}${bankPath}${intentId}`);
  const requests: ReceivedRequest[] = [];
  const faults = new Map<OperationName, Fault[]>();
  const saved = new Map<string, { request: string; answer?: Answer }>();

  async function answerRequest(request: IncomingMessage): Promise<Answer & { isOld?: true }> {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://stripe");
    const body = new URLSearchParams(await text(request));
    const params = Object.fromEntries([...searchParams, ...body]);
    if (request.headers.authorization !== `Bearer ${secretKey}`) return unauthorized;
    const operation = operations.find(
      ({ method, path }) => method === request.method && path.test(pathname),
    );
    if (!operation) return refuseRequest("url_invalid", "url", 404);
    requests.push({ operation: operation.name, params, headers: request.headers });
    const unknown = Object.keys(params).find(
      (name) => !operation.params.includes(removeIndex(name)),
    );
    if (unknown !== undefined) return refuseRequest("parameter_unknown", unknown);
    const missing = operation.required?.find((name) => !(name in params));
    if (missing !== undefined) return refuseRequest("parameter_missing", missing);
    const invalid = operation.check?.(params);
    if (invalid) return invalid;

    const fault = faults.get(operation.name)?.shift() ?? ((work) => work());
    const id = operation.path.exec(pathname)?.[1] ?? "";
    const work = () => account.do(operation.name, id, params);
    const key = String(request.headers["idempotency-key"] ?? "");
    if (request.method === "GET" || key === "") return (await fault(work)) ?? cut;

    const fingerprint = JSON.stringify([pathname, params]);
    const known = saved.get(key);
    if (known && known.request !== fingerprint) return keyReused;
    if (known) return known.answer ? { ...known.answer, isOld: true } : keyInUse;
    const record: { request: string; answer?: Answer } = { request: fingerprint };
    saved.set(key, record);
    const answer = await fault(() => (record.answer = work()));
    // Work that began is saved, with the sent answer if there was one; a refused request is not.
    if (answer && (record.answer || answer.status === 500)) record.answer = answer;
    if (!record.answer) saved.delete(key);
    return answer ?? cut;
  }

  const server = createServer((request, response) => {
    void (async () => {
      if (request.url?.startsWith(bankPath)) {
        const form = new URLSearchParams(await text(request));
        const intentId = request.url.slice(bankPath.length);
        const page = answerAtBank(account, intentId, form.get("decision"));
        return response.writeHead(page.status, page.headers).end(page.body);
      }
      const { status, body, isOld } = await answerRequest(request);
      if (status === cut.status) return request.socket.resetAndDestroy();
      response.writeHead(status, {
        "content-type": "application/json",
        "request-id": "req_1",
        "stripe-notice": "This is a stand-in.",
        ...(isOld && { "idempotent-replayed": "true" }),
      });
      return response.end(typeof body === "string" ? body : JSON.stringify(body));
    })();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  openUntilFileEnds(() => {
    server.close();
    server.closeAllConnections();
  });
  const getUrl = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: getUrl(),
    account,
    requests,
    next: (operation, fault) => faults.set(operation, [...(faults.get(operation) ?? []), fault]),
    deleteKeys: () => saved.clear(),
  };
}

/** `expand[0]` is one of `expand[]`. */
function removeIndex(name: string): string {
  return name.replace(/\[\d+\]$/, "[]");
}

const cut = { status: 0, body: {} };
const unauthorized = failure(401, { type: "invalid_request_error" });
const keyReused = failure(400, { type: "idempotency_error" });
const keyInUse = failure(409, { type: "idempotency_error", code: "idempotency_key_in_use" });

export const returnUrl = "https://payments.example.com/pay/page_1/return";

/** A network at a stand-in for Stripe of its own. */
export async function openStripe(
  special: { key?: string; timeoutMs?: number; nowMs?: number } = {},
) {
  const { key = secretKey, nowMs, ...others } = special;
  const stripe = await startStripeStandIn();
  const network = createStripeNetwork({
    secretKey: key,
    version: "1.2.3",
    baseUrl: stripe.url,
    ...others,
    ...(nowMs !== undefined && { clock: () => nowMs }),
  });
  onTestFinished(async () => network.close());
  const calls = () => stripe.requests.map(({ operation }) => operation);
  /** The one intent of a charge. */
  const intentOf = ({ id }: Charge) => {
    const [intent, another] = stripe.account.of(id);
    if (!intent || another) throw new Error(`${id} has no intent, or two.`);
    return intent;
  };
  const refundsOf = (charge: Charge) => intentOf(charge).latest_charge?.refunds.data ?? [];
  return { stripe, network, calls, intentOf, refundsOf };
}

/** A charge whose intent is made, as the service makes it before it sends the card. */
export async function prepareCharge(
  network: CardNetwork,
  fields: Partial<Charge> = {},
): Promise<Charge> {
  const charge = chargeWith(fields);
  const named = await network.prepare?.(charge);
  return { ...charge, reference: named?.outcome === "prepared" ? named.reference : null };
}

/** A charge whose customer the bank asks, at `url`. */
export async function openChallenge(number = cardRequiringAction) {
  const opened = await openStripe();
  const { network, intentOf } = opened;
  const charge = await prepareCharge(network, { returnUrl });
  const { reference } = charge;
  const answer = await network.charge(charge, cardWith({ number }));
  const url = intentOf(charge).next_action?.redirect_to_url?.url ?? "";
  const action = { outcome: "action", reference, url, retryAfterMs: 60_000 };
  expect(answer).toEqual(action);
  return { ...opened, charge, url, action, approved: { outcome: "approved", reference } };
}

// The page on which a bank asks the customer, at the stand-in for Stripe.

type Page = { status: number; headers: Record<string, string>; body: string };
type Decision = "approve" | "decline";

const bankPath = "/bank/";

/** Answers a browser: `decision` is the form's, null where the browser opens the page. */
function answerAtBank(account: StripeAccount, intentId: string, decision: string | null): Page {
  const headers = { "content-type": "text/html; charset=utf-8" };
  if (account.intents.get(intentId)?.status !== "requires_action") {
    return { status: 410, headers, body: "<p>The bank asks nothing about this payment.</p>" };
  }
  const back =
    decision === null ? undefined : account.decideAtBank(intentId, decision === "approve");
  return back
    ? { status: 303, headers: { location: back.href }, body: "" }
    : { status: 200, headers, body: form };
}

/** Sends the customer's decision to a bank's page; returns the address that the browser is sent back to. */
export async function decideAtBank(url: string, decision: Decision): Promise<URL> {
  const body = new URLSearchParams({ decision });
  const answer = await fetch(url, { method: "POST", body, redirect: "manual" });
  const location = answer.headers.get("location");
  if (location === null) throw new Error(`The bank answered HTTP ${answer.status}.`);
  return new URL(location);
}

const form = `<!doctype html>
<html lang="en">
<title>Bank</title>
<h1>Do you approve this payment?</h1>
<form method="post">
<button name="decision" value="approve">Approve</button>
<button name="decision" value="decline">Decline</button>
</form>
</html>`;
