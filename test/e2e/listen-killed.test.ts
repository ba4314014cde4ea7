import { expect, test } from "vitest";
import type { Event } from "../../src/contract/event.ts";
import { listenPayments, servePayments } from "../testkit/command/running-commands.ts";
import { makeKey } from "../testkit/command/prepare-home.ts";
import { createServiceEnv } from "../testkit/command/run-payments.ts";
import { createTemporaryHome } from "../testkit/temporary.ts";
import { PaymentsClient } from "../../src/client/client.ts";
import { body } from "../testkit/client/running-service.ts";
import { scriptedServer } from "../testkit/client/scripted-server.ts";
import { startTcpProxy } from "../testkit/sockets/tcp-proxy.ts";

const [rounds, paymentsPerRound] = [2, 10];

test("no event is lost between a service and a listener that are both killed repeatedly", async () => {
  const [home, listeners] = [createTemporaryHome(), createTemporaryHome()];
  const { key } = await makeKey(home);
  let service = await servePayments([], { home });
  const portOf = ({ url }: typeof service) => Number(new URL(url).port);
  const target = { host: "127.0.0.1", port: portOf(service) };
  const proxy = await startTcpProxy(target);
  const baseUrl = `http://127.0.0.1:${proxy.port}`;
  const options = { home: listeners, env: createServiceEnv(baseUrl, key) };
  const client = new PaymentsClient({ baseUrl, apiKey: key, maxRetries: 10 });
  const receiver = await scriptedServer((response) => response.end());
  const listen = () => listenPayments(["--forward-to", receiver.url], options);

  const paymentIds: string[] = [];
  let listener = listen();
  await listener.says(/^Secret/);
  for (let round = 0; round < rounds; round++) {
    const paying = Array.from({ length: paymentsPerRound }, async () =>
      client.payments.create(body),
    );
    await listener.shows(/ → 200 in/);
    await listener.end("SIGKILL");
    if (round % 2 === 1) {
      await service.end("SIGKILL");
      service = await servePayments([], { home });
      target.port = portOf(service);
    }
    listener = listen();
    for (const { id } of await Promise.all(paying)) paymentIds.push(id);
  }
  const last = await client.payments.create(body);
  const listForwarded = () =>
    new Set(receiver.requests.map((each) => (JSON.parse(each.body) as Event).data.object.id));
  await expect.poll(() => paymentIds.filter((id) => !listForwarded().has(id))).toEqual([]);
  await expect.poll(() => listForwarded().has(last.id)).toBe(true);
  expect(paymentIds).toHaveLength(rounds * paymentsPerRound);
  await listener.end("SIGINT");
  await client.close();
  await proxy.refuse();
  await service.end("SIGTERM");
});
