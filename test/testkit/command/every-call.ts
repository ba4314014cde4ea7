import { json, paymentWith, scriptedServer, type Answer } from "../client/scripted-server.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import { createServiceEnv, runInNewProcess, runPayments, type Ran } from "./run-payments.ts";

// The four calls of the API as commands, each against a server with a test's responses.

export type Call = keyof typeof commandLines;
export const { id } = paymentWith();
export const idempotencyKey = "order-1001";

const named = ["--idempotency-key", idempotencyKey];
const visa = ["--amount", "4999", "--currency", "eur", "--test-card", "visa"];
const commandLines = {
  list: ["list"],
  get: ["get", id],
  create: ["create", ...visa, ...named],
  refund: ["refund", id, "--yes", ...named],
};
export const calls = Object.keys(commandLines) as Call[];
export const isWrite = (call: Call): boolean => call === "create" || call === "refund";

export type Called = Ran & {
  /** The number of attempts, without the request of a refund for the payment that it shows first. */
  tries: number;
};

/** Runs one of the four. The response is not for the payment that a refund reads first. */
export async function runCall(call: Call, answer: Answer, ...args: string[]): Promise<Called> {
  const server = await scriptedServer((response, request) => {
    const isPreparation = call === "refund" && request.method === "GET";
    return (isPreparation ? json(200, paymentWith()) : answer)(response, request);
  });
  // A command that waits for a timeout would delay all others in this process.
  const runThis = args.includes("--request-timeout") ? runInNewProcess : runPayments;
  const ran = await runThis([...commandLines[call], ...args], {
    env: createServiceEnv(server.url),
  });
  const method = isWrite(call) ? "POST" : "GET";
  return { ...ran, tries: server.requests.filter((request) => request.method === method).length };
}

/** Runs one of the four against an address without a service, without retries. */
export async function runCallAt(url: string, call: Call, ...args: string[]): Promise<Ran> {
  const once = ["--max-retries", "0", ...args];
  return await runPayments([...commandLines[call], ...once], { env: createServiceEnv(url) });
}

/** The response to a call: a payment, or a list of it. */
export function respondTo(call: Call, fields: Partial<Payment> = {}): object {
  const payment = paymentWith(fields);
  if (call !== "list") return payment;
  return { object: "list", url: "/v1/payments", data: [payment], has_more: false };
}
