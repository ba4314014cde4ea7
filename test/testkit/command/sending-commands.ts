import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryRoot } from "../temporary.ts";
import {
  accountWith,
  deliveryWith,
  endpointWith,
  eventWith,
  historyWith,
  listWith,
  newSecret,
  paymentWith,
  requestWith,
  webhookTestWith,
} from "../api-objects.ts";
import { type Answer, json } from "../client/scripted-server.ts";

/** A command that sends a key, and the response to its last request. */
export type SendingCommand = {
  args: string[];
  /** Undefined if the command does not print the response. */
  response?: object;
  /** The object that the command reads before it writes. */
  before?: object;
  /** Whether it writes with an idempotency key. */
  isWrite?: boolean;
  /** Whether a refusal and a failure are what it reports, and no end of it; its own test has them. */
  isDiagnosis?: boolean;
};

const { id: paymentId } = paymentWith();
export const { id: eventId } = eventWith();
export const { id: endpointId } = endpointWith();
export const { id: requestId } = requestWith();

const payment = paymentWith();
const endpoint = endpointWith();
const issued = endpointWith({ secret: newSecret() });
const deliveries = listWith(`/v1/webhook_endpoints/${endpointId}/deliveries`, deliveryWith());
const clock = { now: 1_800_000_000, mode: "manual" };
const did = { settled: 1, expired: 1, delivered: 2, delivery_attempts: 3, purged: 0 };
const fault = { on: "POST /v1/payments", do: "lost_answer", times: 1, after: 0, struck: 0 };
const journaled = {
  time: 1_800_000_000,
  method: "POST",
  path: "/v1/payments",
  status: 201,
  idempotency_key: "key",
  replayed: false,
  fault: "lost_answer",
  body: { amount: 4999 },
};
const url = "https://shop.example/hooks";
const visa = ["--amount", "4999", "--currency", "eur", "--test-card", "visa"];

/** Writes a file with one step; returns its path. */
function writeFixtures(): string {
  const file = join(temporaryRoot, "one-step.json");
  writeFileSync(file, JSON.stringify({ fixtures: [{ wait: paymentId }] }));
  return file;
}

/** Writes a bank's report without a line; returns its path. */
function writeReport(): string {
  const file = join(temporaryRoot, "empty-report.csv");
  writeFileSync(file, "id,amount,currency,status\n");
  return file;
}

/** Every command that sends a key, by its name. */
export const sendingCommands: Record<string, SendingCommand> = {
  api: { args: ["api", "POST", "/v1/payments"], response: payment, isWrite: true },
  cancel: {
    args: ["cancel", paymentId, "--yes"],
    before: payment,
    response: { ...payment, status: "failed", decline_code: "canceled" },
    isWrite: true,
  },
  create: { args: ["create", ...visa], response: payment, isWrite: true },
  doctor: { args: ["doctor"], isDiagnosis: true },
  "events get": { args: ["events", "get", eventId], response: eventWith() },
  "events list": { args: ["events", "list"], response: listWith("/v1/events", eventWith()) },
  "events resend": { args: ["events", "resend", eventId], response: deliveries, isWrite: true },
  explain: { args: ["explain", paymentId], response: historyWith() },
  fixtures: { args: ["fixtures", writeFixtures()] },
  get: { args: ["get", paymentId], response: payment },
  list: { args: ["list"], response: listWith("/v1/payments", payment) },
  listen: { args: ["listen", "--print-secret"] },
  login: { args: ["login"] },
  "logs get": { args: ["logs", "get", requestId], response: requestWith() },
  "logs list": { args: ["logs", "list"], response: listWith("/v1/requests", requestWith()) },
  "logs tail": { args: ["logs", "tail"] },
  pay: { args: ["pay", paymentId, "--test-card", "visa"] },
  reconcile: { args: ["reconcile", "--report", writeReport(), "--mode", "test"] },
  refund: {
    args: ["refund", paymentId, "--yes"],
    before: payment,
    response: { ...payment, status: "refunded" },
    isWrite: true,
  },
  report: {
    args: ["report"],
    response: {
      object: "report",
      from: "2026-11-01",
      to: "2026-12-01",
      by: "day",
      livemode: false,
      data: [],
    },
  },
  "sandbox account": {
    args: ["sandbox", "account", "--name", "Shop"],
    response: {
      account: {
        id: accountWith().id,
        object: "account",
        name: "Shop",
        default_version: "2026-11-01",
        created: 1_800_000_000,
      },
      keys: { test: "svc_test_sk_…", live: "svc_live_sk_…" },
    },
  },
  "sandbox clock": {
    args: ["sandbox", "clock", "--advance", "25h"],
    response: { ...clock, did },
  },
  "sandbox fault": { args: ["sandbox", "fault", fault.on, "lost-answer"], response: fault },
  "sandbox faults": { args: ["sandbox", "faults"], response: { object: "list", data: [fault] } },
  "sandbox requests": {
    args: ["sandbox", "requests"],
    response: { object: "list", data: [journaled] },
  },
  "sandbox reset": { args: ["sandbox", "reset"], response: clock },
  trigger: {
    args: ["trigger", "payment.succeeded"],
    before: accountWith(),
    response: payment,
  },
  "webhooks check": { args: ["webhooks", "check", "http://127.0.0.1:9/hooks"] },
  "webhooks create": {
    args: ["webhooks", "create", "--url", url],
    response: issued,
    isWrite: true,
  },
  "webhooks delete": {
    args: ["webhooks", "delete", endpointId, "--yes"],
    before: endpoint,
    response: { id: endpointId, object: "webhook_endpoint", deleted: true },
  },
  "webhooks deliveries": { args: ["webhooks", "deliveries", endpointId], response: deliveries },
  "webhooks disable": {
    args: ["webhooks", "disable", endpointId],
    response: endpointWith({ status: "disabled" }),
    isWrite: true,
  },
  "webhooks enable": {
    args: ["webhooks", "enable", endpointId],
    response: endpoint,
    isWrite: true,
  },
  "webhooks get": { args: ["webhooks", "get", endpointId], response: endpoint },
  "webhooks list": {
    args: ["webhooks", "list"],
    response: listWith("/v1/webhook_endpoints", endpoint),
  },
  "webhooks recover": {
    args: ["webhooks", "recover", endpointId, "--since", "1700000000", "--no-wait"],
    response: { object: "recovery", queued: 0, has_more: false },
    isWrite: true,
  },
  "webhooks roll": { args: ["webhooks", "roll", endpointId], response: issued, isWrite: true },
  "webhooks test": {
    args: ["webhooks", "test", endpointId],
    response: webhookTestWith(),
    isWrite: true,
  },
  "webhooks update": {
    args: ["webhooks", "update", endpointId, "--description", "Orders"],
    response: endpointWith({ description: "Orders" }),
    isWrite: true,
  },
  whoami: { args: ["whoami"] },
};

/** Gives this response to the last request of a command, and answers the read before it. */
export function answerLast({ before }: SendingCommand, answer: Answer): Answer {
  return (response, request) =>
    (before && request.method === "GET" ? json(200, before) : answer)(response, request);
}
