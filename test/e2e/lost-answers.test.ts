import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PaymentsClient } from "../../src/client/client.ts";
import type { Payment } from "../../src/contract/payment.ts";
import { openService } from "../../src/service/server/open-service.ts";
import { body } from "../testkit/client/running-service.ts";
import { drop, passOn, scriptedServer } from "../testkit/client/scripted-server.ts";
import { newHome } from "../testkit/command/temporary-home.ts";
import { errorIn, printedPayment, runPayments } from "../testkit/command/run-payments.ts";
import { databaseOfHome } from "../testkit/database/home-database.ts";
import { servePayments, type Serving } from "../testkit/command/serve-payments.ts";

const visa = ["create", "--amount", "4999", "--currency", "eur", "--test-card", "visa", "--json"];

/** The service in a process of its own, and a way to it that can lose what it answers. */
async function serviceBehindProxy() {
  const home = newHome();
  const apiKey = await newKey(home);
  const start = async () => servePayments(["--json", "--log-level", "silent"], { home });
  let service: Serving = await start();

  const killAndRestart = async () => {
    await service.end("SIGKILL");
    service = await start();
  };
  /** What becomes of the writes, one after the other; the last one's way is taken by all others. */
  const ways: Way[] = [];
  const replayed: boolean[] = [];
  const proxy = await scriptedServer(async (response, request) => {
    const way = request.method === "POST" ? (ways.length > 1 ? ways.shift() : ways[0]) : "through";
    if (way === "lost before") return await drop(response, request);
    const answer = await passOn(service.url, request);
    if (request.method === "POST") {
      replayed.push(answer.headers.get("idempotent-replayed") === "true");
    }
    if (way === "killed after") await killAndRestart();
    if (way !== "through") return await drop(response, request);
    response.writeHead(answer.status, { "content-type": "application/json" });
    return response.end(await answer.text());
  });

  const env = { PAYMENTS_BASE_URL: proxy.url, PAYMENTS_API_KEY: apiKey };
  const run = async (...args: string[]) => runPayments(args, { home: newHome(), env });
  /** Asks the service itself, past the way that loses answers. */
  const ask = async <T>(call: (client: PaymentsClient["payments"]) => Promise<T>): Promise<T> => {
    const client = new PaymentsClient({ apiKey, baseUrl: service.url });
    return await call(client.payments).finally(async () => client.close());
  };
  return { run, ask, ways, replayed, killAndRestart };
}
type Way = "through" | "lost before" | "lost after" | "killed after";
type Service = Awaited<ReturnType<typeof serviceBehindProxy>>;

/** A write as a command, and what must be true once it has happened. */
const writes: [string, (service: Service) => Promise<Write>][] = [
  [
    "create",
    async ({ ask }) => ({
      args: visa,
      expectDone: async (payment) => {
        const { data } = await ask(async (payments) => payments.list());
        expect(data).toEqual([payment]);
      },
    }),
  ],
  [
    "refund",
    async ({ ask }) => {
      const { id } = await ask(async (payments) => payments.create(body));
      return {
        args: ["refund", id, "--yes", "--json"],
        expectDone: async (payment) => {
          expect(payment).toMatchObject({ id, status: "refunded" });
          expect(await ask(async (payments) => payments.retrieve(id))).toEqual(payment);
          const again = ask(async (payments) => payments.refund(id));
          await expect(again).rejects.toMatchObject({ code: "payment_already_refunded" });
        },
      };
    },
  ],
];
type Write = { args: string[]; expectDone: (payment: Payment) => Promise<void> };

describe.concurrent.each(writes)("%s, where the answer is lost on the network,", (_, prepared) => {
  it("is tried again by itself, and happens once, also where the service was killed between", async () => {
    const service = await serviceBehindProxy();
    const { args, expectDone } = await prepared(service);
    service.ways.push("lost before", "lost after", "killed after", "through");
    const payment = printedPayment(await service.run(...args));
    expect(service.replayed).toEqual([false, true, true]);
    await expectDone(payment);
  });

  it.each<[string, Way, boolean]>([
    ["had done it", "lost after", true],
    ["had not done it", "lost before", false],
  ])(
    "names its key when retries run out, and happens once with that key: the service, killed and started again, %s",
    async (_what, way, wasDone) => {
      const service = await serviceBehindProxy();
      const { args, expectDone } = await prepared(service);
      service.ways.push(way);
      const lost = await service.run(...args, "--max-retries", "1");
      expect(lost.exitCode).toBe(9);
      const named = /--idempotency-key (\S+):/.exec(String(errorIn(lost)["hint"]))?.[1] ?? "";
      expect(named).toBe(errorIn(lost)["idempotency_key"]);

      await service.killAndRestart();
      service.ways[0] = "through";
      const again = await service.run(...args, "--idempotency-key", named);
      const payment = printedPayment(again);
      expect(await service.run(...args, "--idempotency-key", named)).toEqual(again);
      expect(service.replayed).toEqual(wasDone ? [false, true, true, true] : [false, true]);
      await expectDone(payment);
    },
  );
});

async function newKey(home: string): Promise<string> {
  const database = databaseOfHome(home).PAYMENTS_DATABASE ?? `sqlite:${join(home, "payments.db")}`;
  const { service, close } = await openService({ database });
  const { key } = await service.createKey({ mode: "test", name: "e2e" });
  await close();
  return key;
}
