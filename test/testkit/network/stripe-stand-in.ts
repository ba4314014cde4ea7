import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { openUntilFileEnds } from "../open-until-file-ends.ts";
import {
  failure,
  operations,
  refused,
  StripeAccount,
  type OperationName,
  type Params,
  type Reply,
} from "./stripe-account.ts";

// A server that stands in for Stripe, written after its published API: it refuses what Stripe refuses and
// remembers what Stripe remembers. A test can have it lose answers, answer late, or fail.

export const secretKey = "sk_test_standIn";

type Asked = {
  operation: OperationName;
  params: Params;
  headers: IncomingMessage["headers"];
};
/** A body that is a text is sent as it is. */
type Answer = Omit<Reply, "body"> & { body: object | string };
/** What goes wrong: it is given what would be done, and gives the answer, or none: the line is cut. */
export type Fault = (work: () => Reply) => Answer | undefined | Promise<Answer | undefined>;

export type StripeStandIn = {
  url: string;
  account: StripeAccount;
  /** What has been asked so far. */
  asked: Asked[];
  /** The next time that this is asked, it goes wrong; more than once, one after another. */
  next: (operation: OperationName, fault: Fault) => void;
  /** Keys are forgotten, as they are after a day. */
  forgetKeys: () => void;
};

/** It is done, and the answer gets lost. */
export const lost: Fault = (work) => void work();
/** It never arrives. */
export const unheard: Fault = () => undefined;
/** Something else is answered, and nothing done. */
export const answers =
  (status: number, body: object | string): Fault =>
  () => ({ status, body });
/** It is done, and some fields of the answer are others. */
export const answersWith =
  (fields: object): Fault =>
  (work) => ({ status: 200, body: { ...work().body, ...fields } });
const apiError = failure(500, { type: "api_error" });
/** It fails before anything is done. */
export const failsBefore: Fault = () => apiError;
/** It fails when all is done. */
export const failsAfter: Fault = (work) => {
  work();
  return apiError;
};

export async function startStripeStandIn(): Promise<StripeStandIn> {
  const account = new StripeAccount();
  const asked: Asked[] = [];
  const faults = new Map<OperationName, Fault[]>();
  const saved = new Map<string, { request: string; answer?: Answer }>();

  async function answerTo(request: IncomingMessage): Promise<Answer & { isOld?: true }> {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://stripe");
    const body = new URLSearchParams(await text(request));
    const params = Object.fromEntries([...searchParams, ...body]);
    if (request.headers.authorization !== `Bearer ${secretKey}`) return unauthorized;
    const operation = operations.find(
      ({ method, path }) => method === request.method && path.test(pathname),
    );
    if (!operation) return refused("url_invalid", "url", 404);
    asked.push({ operation: operation.name, params, headers: request.headers });
    const unknown = Object.keys(params).find((name) => !operation.params.includes(plain(name)));
    if (unknown !== undefined) return refused("parameter_unknown", unknown);
    const missing = operation.required?.find((name) => !(name in params));
    if (missing !== undefined) return refused("parameter_missing", missing);
    const invalid = operation.check?.(params);
    if (invalid) return invalid;

    const fault = faults.get(operation.name)?.shift() ?? ((work) => work());
    const id = operation.path.exec(pathname)?.[1] ?? "";
    const work = () => account.do(operation.name, id, params);
    const key = String(request.headers["idempotency-key"] ?? "");
    if (request.method === "GET" || key === "") return (await fault(work)) ?? cut;

    const said = JSON.stringify([pathname, params]);
    const known = saved.get(key);
    if (known && known.request !== said) return keyReused;
    if (known) return known.answer ? { ...known.answer, isOld: true } : keyInUse;
    const kept: { request: string; answer?: Answer } = { request: said };
    saved.set(key, kept);
    const answer = await fault(() => (kept.answer = work()));
    // What was begun is saved, as it was answered if it was; what was turned away is not.
    if (answer && (kept.answer || answer.status === 500)) kept.answer = answer;
    if (!kept.answer) saved.delete(key);
    return answer ?? cut;
  }

  const server = createServer((request, response) => {
    void (async () => {
      const { status, body, isOld } = await answerTo(request);
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
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    account,
    asked,
    next: (operation, fault) => faults.set(operation, [...(faults.get(operation) ?? []), fault]),
    forgetKeys: () => saved.clear(),
  };
}

/** `expand[0]` is one of `expand[]`. */
function plain(name: string): string {
  return name.replace(/\[\d+\]$/, "[]");
}

const cut = { status: 0, body: {} };
const unauthorized = failure(401, { type: "invalid_request_error" });
const keyReused = failure(400, { type: "idempotency_error" });
const keyInUse = failure(409, { type: "idempotency_error", code: "idempotency_key_in_use" });
