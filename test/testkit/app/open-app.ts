import assert from "node:assert/strict";
import { onTestFinished } from "vitest";
import type { ErrorEnvelope } from "../../../src/contract/error.ts";
import { routes } from "../../../src/contract/routes.ts";
import { type AppOptions, createApp } from "../../../src/service/http/app.ts";
import type { GuardedNetwork, LocalNetwork } from "../../../src/service/networks/card-network.ts";
import {
  createSimulatorNetwork,
  createTestNetwork,
} from "../../../src/service/networks/simulator.ts";
import type { Adapters, Store } from "../../../src/service/service.ts";
import type { WebhookSettings } from "../../../src/service/webhooks/webhooks-service.ts";
import { ids } from "../../../src/service/database/ids.ts";
import { loadPages } from "../../../src/service/server/open-front.ts";
import type { ServeSettings } from "../../../src/service/server/service-settings.ts";
import { createBoundService } from "../service/bind-use-cases.ts";
import { webhookSchedule } from "../../../src/service/webhooks/delivery-state.ts";
import { openEmptyStore } from "../database/open-database.ts";
import { deadSender } from "../service/webhooks.ts";

export const publicUrl = "https://payments.test";
export const docsUrl = `${publicUrl}/docs/errors`;

export type Answer = { status: number; headers: Record<string, string>; text: string };

export type Call = {
  method?: string;
  path?: string;
  /** `test` by default; null sends no Authorization. */
  key?: "test" | "live" | null;
  headers?: Record<string, string>;
  /** An object is sent as JSON, text and bytes as they are, all of them as `type`. */
  body?: object | string;
  type?: string | null;
};

/** Replacements for the store and the network: each is made from the real one. */
export type Around = {
  store?: (store: Store) => Store;
  network?: (network: LocalNetwork) => LocalNetwork | GuardedNetwork;
  processingTimeMs?: number;
  hppExpiryMs?: number;
  clock?: Adapters["clock"];
  timeouts?: Adapters["timeouts"];
  webhooks?: Partial<WebhookSettings>;
  /** Of tests of endpoints. */
  sender?: Adapters["sender"];
  observeChallenge?: Adapters["observeChallenge"];
  /** Shows the dashboard. */
  dashboard?: ServeSettings["dashboard"];
  app?: Partial<AppOptions>;
};

/** The app over a real service and a new database, with a key of each mode. */
export async function openApp({
  store,
  network,
  processingTimeMs = 0,
  hppExpiryMs = 60_000,
  clock = Date.now,
  timeouts,
  webhooks,
  sender = deadSender,
  observeChallenge,
  dashboard,
  app: options = {},
}: Around = {}) {
  const { store: opened, giveBack } = await openEmptyStore();
  const around = network ?? ((real: LocalNetwork) => real);
  const simulator = createSimulatorNetwork({ processingTimeMs });
  const test = around(createTestNetwork({ processingTimeMs }));
  const live = around(simulator);
  const adapters: Adapters = {
    store: store ? store(opened) : opened,
    networkOf: (scope) => (scope.livemode ? live : test),
    simulator,
    clock,
    ids,
    publicUrl: () => publicUrl,
    hppExpiryMs,
    timeouts,
    observeChallenge,
    sender,
    webhooks: {
      schedule: webhookSchedule,
      eventRetentionMs: 60_000,
      allowsPrivate: true,
      ...webhooks,
    },
  };
  const service = createBoundService(adapters);
  const keys = {
    test: (await service.createKey({ mode: "test", name: "test" })).key,
    live: (await service.createKey({ mode: "live", name: "test" })).key,
  };
  const logged: { level: "info" | "warn" | "error"; fields: object; message: string }[] = [];
  const createReplica = async (of: typeof service) =>
    createApp(of, {
      docsUrl: () => docsUrl,
      publicUrl: () => publicUrl,
      pages: await loadPages(of, () => publicUrl, dashboard),
      log: {
        info: (fields, message) => logged.push({ level: "info", fields, message }),
        warn: (fields, message) => logged.push({ level: "warn", fields, message }),
        error: (fields, message) => logged.push({ level: "error", fields, message }),
      },
      ...options,
    });
  const app = await createReplica(service);
  const replicas = [app];

  /** Another replica over the same store, with a memory of its own. */
  async function openReplica(): Promise<typeof app> {
    const replica = await createReplica(createBoundService(adapters));
    replicas.push(replica);
    return replica;
  }

  async function call(request: Call): Promise<Answer> {
    const { method = "GET", path = "/v1/payments", key = "test", headers, body } = request;
    const { type = "application/json" } = request;
    const isBytes = typeof body === "string" || Buffer.isBuffer(body);
    const answer = await app.inject({
      method: method as "GET",
      url: path,
      headers: {
        ...(key && { authorization: `Bearer ${keys[key]}` }),
        ...(body !== undefined && type !== null && { "content-type": type }),
        ...headers,
      },
      ...(body !== undefined && { payload: isBytes ? body : JSON.stringify(body) }),
    });
    return {
      status: answer.statusCode,
      headers: answer.headers as Record<string, string>,
      text: answer.body,
    };
  }

  async function close(): Promise<void> {
    for (const each of replicas) await each.close();
    await service.flushRequests(); // the database may be another test's next
    await giveBack();
  }

  return { app, service, keys, logged, call, openReplica, close };
}

/** An app for one test, closed at its end. */
export async function openAppForTest(around?: Around): ReturnType<typeof openApp> {
  const opened = await openApp(around);
  onTestFinished(opened.close);
  return opened;
}

/** The app, and a request for a payment whose store fails with an error. */
export async function openAppThatMayFail(around: Parameters<typeof openApp>[0] = {}) {
  let failure: unknown;
  const opened = await openApp({
    ...around,
    store: (real) => ({
      ...real,
      findPayment: async (scope, id) => {
        if (failure !== undefined) throw failure;
        return real.findPayment(scope, id);
      },
    }),
  });
  async function failWith(error: unknown): Promise<Answer> {
    failure = error;
    return opened.call({ path: `${routes.createPayment.path}/pay_x` }).finally(() => {
      failure = undefined;
    });
  }
  return { ...opened, failWith };
}

const names = ["type", "code", "message", "param", "decline_code", "doc_url", "request_id"];
/** In order of time; what never becomes a request of the app has a random one. */
const requestId = /^req_[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Summarizes an error response, after it has checked the parts that all errors share. */
export function refusalOf(answer: {
  status: number;
  headers: Record<string, string>;
  text: string;
}): { status: number; code: string; param: string | null } {
  const error = errorIn(answer);
  const id = answer.headers["service-request-id"] ?? "";
  assert.match(id, requestId);
  assert.equal(error.request_id, id);
  assert.equal(answer.headers["content-type"], "application/json; charset=utf-8");
  assert.equal(Number(answer.headers["content-length"]), Buffer.byteLength(answer.text));
  assert.deepEqual(Object.keys(error).toSorted(), names.toSorted());
  assert.equal(error.decline_code, null);
  assert.ok(error.doc_url.endsWith(`/docs/errors#${error.code}`), error.doc_url);
  assert.match(error.message, /^\S.*\S[.`]$/);
  return { status: answer.status, code: error.code, param: error.param };
}

export function errorIn(answer: { text: string }): ErrorEnvelope["error"] {
  const envelope = JSON.parse(answer.text) as ErrorEnvelope;
  assert.deepEqual(Object.keys(envelope), ["error"]);
  return envelope.error;
}
