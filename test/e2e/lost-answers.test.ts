import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PaymentsClient } from "../../src/client/client.ts";
import type { Payment } from "../../src/contract/payment.ts";
import { openBoundService } from "../testkit/service/bind-use-cases.ts";
import { body } from "../testkit/client/running-service.ts";
import { drop, forwardRequest, scriptedServer } from "../testkit/client/scripted-server.ts";
import { createTemporaryHome } from "../testkit/temporary.ts";
import { parseError, parsePayment, runPayments } from "../testkit/command/run-payments.ts";
import { databaseOfHome } from "../testkit/database/open-database.ts";
import { servePayments, type Serving } from "../testkit/command/running-commands.ts";

const visa = ["create", "--amount", "4999", "--currency", "eur", "--test-card", "visa", "--json"];

type Fate = "delivered" | "lost before" | "lost after" | "killed after";

/** The service in a process of its own behind a proxy that can lose requests and responses. */
async function openBehindProxy() {
  const home = createTemporaryHome();
  const apiKey = await createTestKey(home);
  const start = async () => servePayments(["--json", "--log-level", "silent"], { home });
  let service: Serving = await start();

  const killAndRestart = async () => {
    await service.end("SIGKILL");
    service = await start();
  };
  /** The fates of the writes, in order; the last one applies to all others. */
  const fates: Fate[] = [];
  const replayed: boolean[] = [];
  const proxy = await scriptedServer(async (response, request) => {
    const isWrite = request.method === "POST";
    const fate = isWrite ? (fates.length > 1 ? fates.shift() : fates[0]) : "delivered";
    if (fate === "lost before") return await drop(response, request);
    const answer = await forwardRequest(service.url, request);
    if (isWrite) replayed.push(answer.headers.get("idempotent-replayed") === "true");
    if (fate === "killed after") await killAndRestart();
    if (fate !== "delivered") return await drop(response, request);
    response.writeHead(answer.status, { "content-type": "application/json" });
    return response.end(await answer.text());
  });

  const env = { PAYMENTS_BASE_URL: proxy.url, PAYMENTS_API_KEY: apiKey };
  return {
    fates,
    replayed,
    killAndRestart,
    run: async (...args: string[]) => runPayments(args, { home: createTemporaryHome(), env }),
    /** Calls the service directly, without the proxy. */
    call: async <T>(work: (client: PaymentsClient["payments"]) => Promise<T>): Promise<T> => {
      const client = new PaymentsClient({ apiKey, baseUrl: service.url });
      return await work(client.payments).finally(async () => client.close());
    },
  };
}

type Service = Awaited<ReturnType<typeof openBehindProxy>>;
/** A write as a command, and the check of its effect. */
type Write = { args: string[]; expectDone: (payment: Payment) => Promise<void> };

async function prepareCreate({ call }: Service): Promise<Write> {
  return {
    args: visa,
    expectDone: async (payment) => {
      expect((await call(async (payments) => payments.list())).data).toEqual([payment]);
    },
  };
}

async function prepareRefund({ call }: Service): Promise<Write> {
  const { id } = await call(async (payments) => payments.create(body));
  return {
    args: ["refund", id, "--yes", "--json"],
    expectDone: async (payment) => {
      expect(payment).toMatchObject({ id, status: "refunded" });
      expect(await call(async (payments) => payments.retrieve(id))).toEqual(payment);
      const second = call(async (payments) => payments.refund(id));
      await expect(second).rejects.toMatchObject({ code: "payment_already_refunded" });
    },
  };
}

const writes = { create: prepareCreate, refund: prepareRefund };

describe.concurrent("when responses are lost on the network,", () => {
  it.each(["create", "refund"] as const)(
    "%s is retried and has its effect once, even if the service was killed meanwhile",
    async (name) => {
      const service = await openBehindProxy();
      const { args, expectDone } = await writes[name](service);
      service.fates.push("lost before", "lost after", "killed after", "delivered");
      const payment = parsePayment(await service.run(...args));
      expect(service.replayed).toEqual([false, true, true]);
      await expectDone(payment);
    },
  );

  it.each([
    ["create", "lost after", [false, true, true, true]],
    ["refund", "lost before", [false, true]],
  ] as const)(
    "%s (%s) prints its key when retries are used up, and has its effect once with that key after a restart",
    async (name, fate, replayed) => {
      const service = await openBehindProxy();
      const { args, expectDone } = await writes[name](service);
      service.fates.push(fate);
      const lost = await service.run(...args, "--max-retries", "1");
      expect(lost.exitCode).toBe(9);
      const key = /--idempotency-key (\S+):/.exec(String(parseError(lost)["hint"]))?.[1] ?? "";
      expect(key).toBe(parseError(lost)["idempotency_key"]);

      await service.killAndRestart();
      service.fates[0] = "delivered";
      const repeated = await service.run(...args, "--idempotency-key", key);
      const payment = parsePayment(repeated);
      expect(await service.run(...args, "--idempotency-key", key)).toEqual(repeated);
      expect(service.replayed).toEqual(replayed);
      await expectDone(payment);
    },
  );
});

async function createTestKey(home: string): Promise<string> {
  const database = databaseOfHome(home).PAYMENTS_DATABASE ?? `sqlite:${join(home, "payments.db")}`;
  const { service, close } = await openBoundService({ database });
  const { key } = await service.createKey({ mode: "test", name: "e2e" });
  await close();
  return key;
}
