import { setTimeout as delay } from "node:timers/promises";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { PaymentsClient } from "../../src/client/client.ts";
import { formatMoney } from "../../src/contract/money.ts";
import type { Payment } from "../../src/contract/payment.ts";
import { makeKey } from "../testkit/command/prepare-home.ts";
import { createTemporaryHome } from "../testkit/temporary.ts";
import { body } from "../testkit/client/running-service.ts";
import {
  type Answer,
  drop,
  forwardRequest,
  refusal,
  scriptedServer,
} from "../testkit/client/scripted-server.ts";
import { createServiceEnv, startPayments, waitForEnd } from "../testkit/command/run-payments.ts";
import { servePayments, type Serving } from "../testkit/command/running-commands.ts";

/** PAYMENTS_KILLS=50 runs it longer: with as many kills of the command, and 20 refunds for each. */
const kills = Number(process.env["PAYMENTS_KILLS"] ?? 3);
const count = Math.max(60, kills * 20);

type Printed = { result?: string; object?: string; refunded?: number; totals?: object };

/** A service behind a proxy that loses requests and responses, and lets too many requests wait. */
async function openFaultyService() {
  const home = createTemporaryHome();
  const { key } = await makeKey(home);
  const start = async () => servePayments(["--json", "--log-level", "silent"], { home });
  let service: Serving = await start();
  let requests = 0;
  let passed = 0;
  const limit = refusal(429, "rate_limit_exceeded", { "retry-after": "0" });
  const meddle: Answer = async (response, request) => {
    const fate = requests++ % 11;
    if (fate === 3) return limit(response, request);
    const isWrite = request.method === "POST";
    if (isWrite && fate === 5) return drop(response, request);
    // While the service is restarted nobody listens behind the proxy.
    const answer = await forwardRequest(service.url, request).catch(() => undefined);
    if (isWrite && answer?.status === 200) passed++;
    if (!answer || (isWrite && fate === 8)) return drop(response, request);
    response.writeHead(answer.status, { "content-type": "application/json" });
    return response.end(await answer.text());
  };
  const proxy = await scriptedServer(meddle);
  return {
    key,
    url: proxy.url,
    directly: () => {
      const client = new PaymentsClient({ apiKey: key, baseUrl: service.url });
      onTestFinished(async () => client.close());
      return client;
    },
    passed: () => passed,
    restart: async (signal: NodeJS.Signals) => {
      await service.end(signal);
      service = await start();
    },
  };
}

test("a run that is killed at any moment, over a faulty connection to a service that restarts, refunds each payment exactly once", async () => {
  const service = await openFaultyService();
  const { payments } = service.directly();
  const paid: Payment[] = [];
  for (let made = 0; made < count; made += 20) {
    const batch = Array.from({ length: 20 }, async () => payments.create(body));
    paid.push(...(await Promise.all(batch)));
  }
  const file = join(createTemporaryHome(), "incident.txt");
  writeFileSync(file, paid.map(({ id }) => `${id}\n`).join(""));
  const total = formatMoney(count * body.amount, body.currency);
  const args = ["refund", "--from", file, "--yes", "--expect-total", total, "--json"];
  const options = { env: createServiceEnv(service.url, service.key) };

  let killedHalfWay = 0;
  for (let kill = 0; kill < kills; kill++) {
    const run = startPayments(args, options);
    const ended = waitForEnd(run);
    const target = service.passed() + 1 + Math.floor(Math.random() * 20);
    // Some kills come during the plan, most between two refunds, or while one is under way.
    const isDuringPlan = Math.random() < 0.2;
    if (isDuringPlan) await delay(Math.random() * 300);
    else while (run.exitCode === null && service.passed() < target) await delay(1);
    if (kill % 3 === 1) await service.restart(kill % 2 === 0 ? "SIGKILL" : "SIGTERM");
    if (run.exitCode === null) killedHalfWay++;
    run.kill("SIGKILL");
    await ended;
  }
  let ran = await waitForEnd(startPayments(args, options));
  for (let again = 0; ran.exitCode === 9 && again < 20; again++) {
    ran = await waitForEnd(startPayments(args, options));
  }

  expect([ran.exitCode, ran.stderr]).toEqual([0, ""]);
  const lines = ran.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Printed);
  const closing = lines.pop();
  const refunded = lines.filter(({ result }) => result === "refunded").length;
  const already = lines.filter(({ result }) => result === "already").length;
  expect([lines.length, refunded + already]).toEqual([count, count]);
  const totals = refunded === 0 ? {} : { eur: refunded * body.amount };
  expect(closing).toMatchObject({
    object: "refund_run",
    refunded,
    already,
    totals,
    refused: {},
    unknown: 0,
    not_tried: 0,
  });

  // The service's own books: each payment is refunded, by one event.
  const client = service.directly();
  for (const { id } of paid) expect((await client.payments.retrieve(id)).status).toBe("refunded");
  const events = await Array.fromAsync(
    client.events.pages({ type: "payment.refunded", limit: 100 }),
  );
  const subjects = events.flatMap(({ data }) => data.map((event) => event.data.object.id));
  expect(subjects.toSorted()).toEqual(paid.map(({ id }) => id).toSorted());
  process.stderr.write(`${kills} kills, ${killedHalfWay} of them during a run\n`);
});
