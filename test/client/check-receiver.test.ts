import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTcpServer, type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  type CheckReceiverOptions,
  checkWebhookReceiver,
  runReceiverCheck,
} from "../../src/client/check-receiver.ts";
import { ReceiverError } from "../../src/client/errors.ts";
import { receiverPromiseNames } from "../../src/client/receiver-promises.ts";
import type { Event } from "../../src/contract/event.ts";
import { execForwarding } from "../../src/contract/field-values.ts";
import { ConfigError } from "../../src/runtime/failures.ts";
import { openUntilFileEnds } from "../testkit/open-until-file-ends.ts";
import { clientOf, openSandbox } from "../testkit/client/running-service.ts";
import { createTemporaryHome } from "../testkit/temporary.ts";

const { sandbox, client } = await openSandbox();

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const price = 4999;

/** The parts of a receiver that keeps all promises; a test replaces one of them. */
const rightly = {
  maxBytes: 1024 * 1024,
  encoding: "utf8" as BufferEncoding,
  takesUnsigned: false,
  readSignatures: (header: string) => header.split(" "),
  /** The body that the signature has to be of. */
  toSigned: (body: string) => body,
  isForgery: (isSigned: boolean, _event: Event) => !isSigned,
  isOutOfTime: (ageSeconds: number) => Math.abs(ageSeconds) > 300,
  refuses: (_event: Event, _requests: number): number | undefined => undefined,
  isOld: (sequence: number, highest: number) => sequence <= highest,
  actOnce: async ({ seen, id, act }: Once) => {
    if (seen.has(id)) return;
    seen.add(id);
    act();
  },
  slowMs: 0,
};
type Receiver = Omit<typeof rightly, "actOnce"> & { actOnce: (once: Once) => Promise<void> };
/** `waitForCut`: whether the sender leaves before the answer. */
type Once = { seen: Set<string>; id: string; act: () => void; waitForCut: () => Promise<boolean> };

// A receiver that takes a sequence twice has to remember ids.
const isOld: Receiver["isOld"] = (sequence, highest) => sequence < highest;
const anyField = (event: object) => Object.hasOwn(event, "field_of_later");

/** A receiver, and how often it has acted on an event. */
async function openReceiver(broken: Partial<Receiver> = {}) {
  const receiver = { ...rightly, ...broken };
  const webhook = new Webhook(secret);
  const seen = new Set<string>();
  const highest = new Map<string, number>();
  let [effects, requests] = [0, 0];

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<number> {
    const closed = new Promise<boolean>((resolve) => response.once("close", () => resolve(true)));
    const bytes = await buffer(request);
    if (bytes.length > receiver.maxBytes) return 413;
    const body = bytes.toString(receiver.encoding);
    const {
      "webhook-id": id,
      "webhook-timestamp": time,
      "webhook-signature": header,
    } = request.headers as Record<string, string>;
    if (id === undefined || time === undefined) return 400;
    if (header === undefined && !receiver.takesUnsigned) return 400;
    if (receiver.isOutOfTime(Date.now() / 1000 - Number(time))) return 400;
    const event = JSON.parse(body) as Event;
    const right = webhook.sign(id, new Date(Number(time) * 1000), receiver.toSigned(body));
    const isSigned = header === undefined || receiver.readSignatures(header).includes(right);
    if (receiver.isForgery(isSigned, event)) return 400;
    const refused = receiver.refuses(event, ++requests);
    if (refused !== undefined) return refused;
    const { sequence, data } = event;
    const act = () => {
      if (receiver.isOld(sequence, highest.get(data.object.id) ?? 0)) return;
      highest.set(data.object.id, sequence);
      effects++;
    };
    const waitForCut = async () => Promise.race([delay(50, false), closed]);
    await receiver.actOnce({ seen, id, act, waitForCut });
    return 204;
  }

  const server = createServer(async (request, response) => {
    const status = await respond(request, response);
    await delay(receiver.slowMs);
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  openUntilFileEnds(async () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hooks`, effect: () => effects };
}

const quick = { stillMs: 20, effectMs: 300, retryMs: 100 };

describe("checkWebhookReceiver", () => {
  test.concurrent("finds that a receiver keeps all promises", async () => {
    const { url, effect } = await openReceiver();
    const { promises, ...checked } = await runReceiverCheck({ client, url, secret, effect }, quick);
    expect(checked).toEqual({ object: "receiver_check", url, failed: 0 });
    expect(promises.map(({ name }) => name)).toEqual(receiverPromiseNames);
    expect(promises.filter(({ result }) => result !== "ok")).toEqual([]);
  });

  const broken: Record<(typeof receiverPromiseNames)[number], Partial<Receiver>> = {
    "accepts-event": { refuses: (_, requests) => (requests === 1 ? 500 : undefined) },
    "accepts-unknown-type": {
      refuses: ({ type }) => (/succeeded|refunded/.test(type) ? undefined : 400),
    },
    "accepts-unknown-field": { refuses: (event) => (anyField(event) ? 422 : undefined) },
    "accepts-unicode": { encoding: "latin1" },
    "accepts-large": { maxBytes: 8 * 1024 },
    "accepts-rotation": { readSignatures: (header) => header.split(" ").slice(0, 1) },
    "refuses-forged": { isForgery: (_, { data }) => data.object.amount !== price },
    "refuses-unsigned": { takesUnsigned: true },
    "refuses-altered": { toSigned: (body) => body.replace(/"amount":\d+/, `"amount":${price}`) },
    "refuses-stale": { isOutOfTime: (age) => age < -300 },
    "refuses-future": { isOutOfTime: (age) => age > 300 },
    "once-when-repeated": {
      isOld,
      actOnce: async ({ seen, id, act, waitForCut }) => {
        if (!seen.has(id)) act();
        seen.add(id);
        if (!(await waitForCut())) seen.delete(id);
      },
    },
    "once-when-answer-lost": {
      isOld,
      actOnce: async ({ seen, id, act, waitForCut }) => {
        if (!seen.has(id)) act();
        seen.add(id);
        if (await waitForCut()) seen.delete(id);
      },
    },
    "once-when-concurrent": {
      isOld,
      actOnce: async ({ seen, id, act, waitForCut }) => {
        if (seen.has(id)) return;
        await waitForCut();
        act();
        seen.add(id);
      },
    },
    "latest-state-when-reordered": { isOld: () => false },
    "answers-in-time": { slowMs: 400 },
  };

  test.concurrent.for(Object.entries(broken))(
    "catches a receiver that breaks %s, by that alone",
    async ([name, parts]) => {
      const { url, effect } = await openReceiver(parts);
      const limits = name === "answers-in-time" ? { ...quick, answerMs: 1_000 } : quick;
      const { promises } = await runReceiverCheck({ client, url, secret, effect }, limits);
      const caught = promises.filter(({ result }) => result !== "ok");
      expect(caught).toEqual([expect.objectContaining({ name })]);
    },
  );

  test("judges by status alone without an effect, and says so", async () => {
    const { url } = await openReceiver(broken["once-when-repeated"]);
    const { failed, promises } = await runReceiverCheck({ client, url, secret }, quick);
    const unseen = promises.filter(({ result }) => result !== "ok");
    expect([failed, unseen.map(({ name }) => name)]).toEqual([0, judgedByEffect]);
    for (const { result, detail, status } of unseen) {
      expect([result, detail, status]).toEqual(["not_seen", "accepted; effect not seen", 204]);
    }
  });

  test("grades no further where the secret is another one", async () => {
    const { url } = await openReceiver();
    const other = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
    const { failed, promises } = await runReceiverCheck({ client, url, secret: other }, quick);
    const [first, ...rest] = promises;
    expect(failed).toBe(1);
    expect(first).toMatchObject({ name: "accepts-event", result: "failed", status: 400 });
    expect(first?.detail).toContain("it probably verifies with another secret");
    expect(rest.map(({ name }) => name)).toEqual(receiverPromiseNames.slice(1));
    expect(new Set(rest.map(({ result, detail }) => `${result} ${detail}`))).toEqual(
      new Set(["not_seen skipped"]),
    );
  });

  test("grades on where the connection is cut, or the answer is no HTTP", async () => {
    for (const respond of [
      (socket: Socket) => socket.resetAndDestroy(),
      (socket: Socket) => socket.end("SSH-2.0\r\n"),
    ]) {
      const url = await openRawReceiver(respond);
      const only = ["accepts-event", "refuses-forged", "once-when-repeated"] as const;
      const { promises } = await runReceiverCheck({ client, url, secret, only }, quick);
      expect(promises.map(({ result }) => result)).toEqual(["failed", "ok", "failed"]);
      for (const { status, detail } of promises) {
        expect([status, detail.includes("another secret")]).toEqual([null, false]);
      }
    }
  });

  test("sees no order in a receiver that leaves both events of a payment alone", async () => {
    const { url } = await openReceiver();
    const only = ["latest-state-when-reordered"] as const;
    const about = { client, url, secret, only, effect: () => 0 };
    const { promises } = await runReceiverCheck(about, quick);
    expect(promises).toMatchObject([{ result: "not_seen", detail: "no effect at all" }]);
  });

  test("numbers its payments, in this run and others", async () => {
    const orders = new Set<string | undefined>();
    const { url } = await openReceiver({
      refuses: ({ data }) => void orders.add(data.object.metadata["order"]),
    });
    const about = { client, url, secret, only: ["accepts-rotation", "accepts-large"] } as const;
    const check = async (metadata: Record<string, string>) =>
      runReceiverCheck({ ...about, metadata }, quick);
    await check({ order: "a ${n} ${n}" });
    await check({ order: "a ${n} ${n}" });
    expect(orders.size).toBe(6);
    for (const order of orders) expect(order).toMatch(/^a (\d+) \1$/);
  });

  test("names the clock where it was moved, and not the secret", async () => {
    const moved = await openSandbox({ clock: "manual" });
    await moved.client.sandbox.advanceTo(Math.floor(Date.now() / 1000) + 10_000_000);
    const { url } = await openReceiver();
    const { promises } = await runReceiverCheck({ client: moved.client, url, secret }, quick);
    expect(promises[0]).toMatchObject({ name: "accepts-event", result: "failed", status: 400 });
    expect(promises[0]?.detail).toContain("sign at the real time with --sign-at wall");
    expect(promises[0]?.detail).not.toContain("another secret");
    expect(promises[1]?.detail).toBe("skipped");
  });

  test("signs at the service's time, or at this machine's", async () => {
    const moved = await openSandbox({ clock: "manual" });
    const time = Math.floor(Date.now() / 1000) + 10_000_000;
    await moved.client.sandbox.advanceTo(time);
    const ages: number[] = [];
    const { url } = await openReceiver({ isOutOfTime: (age) => ages.push(age) === 0 });
    const about = { client: moved.client, url, secret };
    await runReceiverCheck({ ...about, only: ["accepts-event"] }, quick);
    await runReceiverCheck({ ...about, only: ["accepts-event"], signAt: "wall" }, quick);
    const [service = 0, wall = 0] = ages;
    expect(Math.abs(service + 10_000_000)).toBeLessThan(60);
    expect(Math.abs(wall)).toBeLessThan(60);
  });
});

/** A server that does this with each connection once a request has come. */
async function openRawReceiver(respond: (socket: Socket) => void): Promise<string> {
  const server = createTcpServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => respond(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  openUntilFileEnds(async () => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
}

const judgedByEffect = receiverPromiseNames.filter((name) => /^(?:once|latest)-/.test(name));

describe("the effect", () => {
  const only = ["once-when-repeated"] as const;

  test("is read at an address, and by a shell command", async () => {
    const { url, effect } = await openReceiver();
    const counter = createServer((_, response) => response.end(`${effect()}\n`));
    await new Promise<void>((resolve) => counter.listen(0, "127.0.0.1", resolve));
    openUntilFileEnds(async () => counter.close());
    const address = `http://127.0.0.1:${(counter.address() as AddressInfo).port}/count`;
    for (const each of [address, `curl -s ${address}; echo ' orders'; false`]) {
      const about = { client, url, secret, only, effect: each };
      const { promises } = await runReceiverCheck(about, quick);
      expect(promises).toMatchObject([{ result: "ok" }]);
    }
  });

  test.for([
    ["echo three", ConfigError, "The effect is no integer."],
    ["exit 3", ConfigError, "The effect is no integer."],
    ["http://127.0.0.1:1/count", ReceiverError, "Nobody answers at the effect's address"],
  ] as const)("that is %s ends the check before anything is sent", async ([effect, kind, why]) => {
    let requests = 0;
    const { url } = await openReceiver({ refuses: () => void requests++ });
    const check = runReceiverCheck({ client, url, secret, effect }, quick);
    await expect(check).rejects.toThrow(kind);
    await expect(check).rejects.toThrow(why);
    expect(requests).toBe(0);
  });
});

test("an effect that is no integer is shown, without keys and control characters", async () => {
  const { url } = await openReceiver();
  const key = `svc_test_sk_${"x".repeat(32)}`;
  for (const [effect, shown] of [
    [`printf 'three \\033[2J ${key}'`, "It was “three \ufffd[2J svc_test_sk_…”. "],
    ["echo no such table >&2; exit 1", "It was “nothing; no such table”. "],
  ] as const) {
    const check = runReceiverCheck({ client, url, secret, effect }, quick);
    await expect(check).rejects.toHaveProperty("hint", expect.stringContaining(shown));
  }
});

test("what an effect's command has started ends with the check", async () => {
  const { url } = await openReceiver();
  const folder = createTemporaryHome();
  const ending = new AbortController();
  // The pipe is closed once nobody is left who could write into it.
  const file = join(folder, "pipe");
  execFileSync("sh", ["-c", `mkfifo ${file}`]);
  const about = { client, url, secret, effect: `sleep 1000 > ${file} | sleep 1000` };
  const check = runReceiverCheck(about, { ...quick, signal: ending.signal });
  const reading = createReadStream(file);
  await once(reading, "open");
  ending.abort(new Error("interrupted"));
  await expect(check).rejects.toThrow("interrupted");
  await once(reading.resume(), "end");
});

test("an effect that something else changes all the time ends the check", async () => {
  const { url } = await openReceiver();
  let count = 0;
  const about = { client, url, secret, effect: () => count++ };
  const check = runReceiverCheck(about, { ...quick, maxUnsettledMs: 300 });
  await expect(check).rejects.toThrow("The effect has not held still within 0.3 s.");
});

test("an effect at an address whose body has no end is no integer", async () => {
  const endless = createServer((_, response) => {
    const write = (): void => void response.write("1".repeat(1_000), (error) => error || write());
    write();
  });
  await new Promise<void>((resolve) => endless.listen(0, "127.0.0.1", resolve));
  openUntilFileEnds(() => {
    endless.closeAllConnections();
    endless.close();
  });
  const { port } = endless.address() as AddressInfo;
  const { url } = await openReceiver();
  const effect = `http://127.0.0.1:${port}/count`;
  const check = runReceiverCheck({ client, url, secret, effect }, quick);
  await expect(check).rejects.toThrow("The effect is no integer.");
});

describe("checkWebhookReceiver refuses", () => {
  const url = "http://127.0.0.1:1/hooks";

  test("a receiver to which sandbox exec forwards the same events", async () => {
    const { client: own } = await openSandbox();
    await own.webhookEndpoints.create({ url: null, description: execForwarding });
    const check = checkWebhookReceiver({ client: own, url, secret });
    await expect(check).rejects.toThrow("payments sandbox exec --forward-to sends the same events");
  });

  test("to check nothing", async () => {
    const both = ["accepts-event"] as const;
    const check = checkWebhookReceiver({ client, url, secret, only: both, skip: both });
    await expect(check).rejects.toThrow("What is to be checked is to be skipped, too.");
  });

  test("live mode", async () => {
    const live = clientOf(sandbox, sandbox.keys.live);
    await expect(checkWebhookReceiver({ client: live, url, secret })).rejects.toThrow(
      "The check makes test payments. Give it a test key.",
    );
    expect((await live.payments.list()).data).toEqual([]);
  });

  test("a receiver that an enabled endpoint sends the same events", async () => {
    const endpoint = await client.webhookEndpoints.create({ url, events: ["*"] });
    const check = async () => checkWebhookReceiver({ client, url: `${url}#x`, secret });
    await expect(check()).rejects.toThrow(`The webhook endpoint ${endpoint.id} sends this address`);
    await client.webhookEndpoints.delete(endpoint.id);
    await expect(check()).rejects.toThrow("Nobody answers at http://127.0.0.1:1: ");
  });

  test.for([
    [{ secret: "whsec_" }, "secret must be the receiver's secret"],
    [{ url: "localhost:3000" }, "url must be an http or https address"],
    [{ only: ["accepts-all"] }, "only must be a list of these names: accepts-event, "],
    [{ effect: 3 }, "effect must be an address, a shell command or a function"],
    [{ secrets: [] }, "has no option secrets. Did you mean secret?"],
  ] as const)("%j", async ([wrong, why]) => {
    const options = { client, url, secret, ...wrong } as CheckReceiverOptions;
    await expect(checkWebhookReceiver(options)).rejects.toThrow(TypeError);
    await expect(checkWebhookReceiver(options)).rejects.toThrow(why);
  });

  test("to guess a service: it is a client's, or the environment's", async () => {
    vi.stubEnv("PAYMENTS_BASE_URL", sandbox.url).stubEnv("PAYMENTS_API_KEY", "");
    onTestFinished(() => void vi.unstubAllEnvs());
    const { url: receiver } = await openReceiver();
    const check = async () =>
      checkWebhookReceiver({ url: receiver, secret, only: ["refuses-unsigned"] });
    await expect(check()).rejects.toThrow(
      new TypeError("checkWebhookReceiver needs a client, or PAYMENTS_API_KEY in the environment."),
    );
    vi.stubEnv("PAYMENTS_API_KEY", sandbox.keys.test);
    expect(await check()).toMatchObject({ failed: 0 });
  });
});
