import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { Webhook as Verifier } from "standardwebhooks";
import { describe, expect, onTestFinished, test } from "vitest";
import { maxAnswerBytes } from "../../../src/contract/field-values.ts";
import type { SendOutcome } from "../../../src/service/webhooks/webhooks-service.ts";
import { needs } from "../../testkit/runner/needs.ts";
import { newSecret } from "../../testkit/api-objects.ts";
import {
  drop,
  half,
  halfAndDrop,
  noHttp,
  scriptedServer,
  silence,
  text,
  tooLarge,
  type Answer,
} from "../../testkit/client/scripted-server.ts";
import { freePort } from "../../testkit/sockets/tcp-proxy.ts";
import { rawServer } from "../../testkit/sockets/raw-sockets.ts";
import { senderForTest, webhookTo } from "../../testkit/service/webhooks.ts";

const nowMs = Date.UTC(2026, 10, 15, 12);
const formatDateAfter = (seconds: number) => new Date(nowMs + seconds * 1000).toUTCString();

async function sendForAnswer(answer: Answer, timeoutMs?: number): Promise<SendOutcome> {
  const { url } = await scriptedServer(answer);
  const sender = senderForTest(timeoutMs === undefined ? {} : { timeoutMs });
  return await sender.send(webhookTo(url, { nowMs }));
}

/** Writes until the client disconnects. */
const endless =
  (status: number): Answer =>
  (response) => {
    response.writeHead(status);
    const write = () => {
      while (response.write(Buffer.alloc(16 * 1024)));
    };
    response.on("drain", write);
    write();
  };

describe("a webhook to a name of this machine", () => {
  const hasIpv6 = Object.values(networkInterfaces())
    .flat()
    .some((each) => each?.address === "::1");

  test.each(["localhost", "shop.localhost", "a.b.localhost"])("reaches it: %s", async (name) => {
    const { url } = await scriptedServer(text(200, "ok"));
    const named = url.replace("127.0.0.1", name);
    expect(await senderForTest().send(webhookTo(named))).toMatchObject({ outcome: "delivered" });
  });

  describe("that listens at ::1 alone", () => {
    needs(hasIpv6, "IPv6");

    test.each(["localhost", "shop.localhost", "[::1]"])("reaches it: %s", async (name) => {
      const receiver = createServer((_, response) => response.end()).listen(0, "::1");
      onTestFinished(() => void receiver.close());
      await once(receiver, "listening");
      const { port } = receiver.address() as AddressInfo;
      const webhook = webhookTo(`http://${name}:${port}/`);
      expect(await senderForTest().send(webhook)).toMatchObject({ outcome: "delivered" });
    });
  });
});

describe("a webhook", () => {
  test("is sent as Standard Webhooks specifies, without other headers", async () => {
    const server = await scriptedServer(text(200, "thanks"));
    const [secret, eventId, body] = [newSecret(), "evt_1", '{"ä":"💶"}'];
    const webhook = webhookTo(`${server.url}/hooks?shop=1#part`, {
      secrets: [secret],
      eventId,
      body,
    });
    expect(await senderForTest().send(webhook)).toMatchObject({
      outcome: "delivered",
      status: 200,
    });
    const [request] = server.requests;
    expect(request).toMatchObject({ method: "POST", path: "/hooks?shop=1", body });
    expect(request?.headers).toEqual({
      host: new URL(server.url).host,
      connection: "keep-alive",
      "content-length": String(Buffer.byteLength(body)),
      "content-type": "application/json",
      "user-agent": "payments/1.2.3",
      "webhook-id": "evt_1",
      "webhook-timestamp": String(Math.floor(webhook.nowMs / 1000)),
      "webhook-signature": expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/) as string,
    });
    const headers = request?.headers as Record<string, string>;
    expect(new Verifier(secret).verify(body, headers)).toEqual({ ä: "💶" });
    expect(() => new Verifier(newSecret()).verify(body, headers)).toThrow("signature");
  });

  test("is signed with both secrets while there are two, in their order", async () => {
    const server = await scriptedServer(text(204, ""));
    const secrets = [newSecret(), newSecret()];
    const webhook = webhookTo(server.url, { secrets });
    await senderForTest().send(webhook);
    const headers = server.requests[0]?.headers as Record<string, string>;
    const signatures = headers["webhook-signature"]?.split(" ") ?? [];
    expect(signatures).toHaveLength(2);
    for (const [index, secret] of secrets.entries()) {
      const single = { ...headers, "webhook-signature": signatures[index] ?? "" };
      new Verifier(secret).verify(webhook.body, headers);
      new Verifier(secret).verify(webhook.body, single);
    }
  });

  test("that cannot be signed fails, and does not throw", async () => {
    const server = await scriptedServer(text(200, ""));
    const webhook = webhookTo(server.url, { secrets: ["whsec_%%%"] });
    const outcome = await senderForTest().send(webhook);
    expect(outcome).toMatchObject({ outcome: "failed", status: null });
    expect(JSON.stringify(outcome)).not.toContain("%%%");
    expect(server.requests).toEqual([]);
  });
});

describe("an answer", () => {
  test.each([200, 201, 202, 204, 299])("of %d is a delivery", async (status) => {
    expect(await sendForAnswer(text(status, ""))).toEqual({
      outcome: "delivered",
      status,
      error: null,
      answer: "",
    });
  });

  test.each([400, 401, 404, 409, 429, 500, 503])("of %d is a failure", async (status) => {
    expect(await sendForAnswer(text(status, "Sorry"))).toEqual({
      outcome: "failed",
      status,
      error: `the endpoint answered ${status}`,
      answer: "Sorry",
    });
  });

  test.each([300, 301, 302, 303, 304, 307, 308])("of %d is not followed", async (status) => {
    const elsewhere = await scriptedServer(text(200, ""));
    const location = { location: elsewhere.url };
    expect(await sendForAnswer(text(status, "", location))).toEqual({
      outcome: "failed",
      status,
      error: `the endpoint answered ${status}, a redirect, which webhooks do not follow`,
      answer: "",
    });
    expect(elsewhere.requests).toEqual([]);
  });

  test("of 410 means that the endpoint is gone", async () => {
    expect(await sendForAnswer(text(410, ""))).toEqual({
      outcome: "failed",
      status: 410,
      error: "the endpoint answered 410",
      answer: "",
      isGone: true,
    });
  });

  test.each<[status: number, retryAfter: string, retryAfterMs: number | undefined]>([
    [503, "120", 120_000],
    [429, "0", 0],
    [500, "86400", 86_400_000],
    [500, "86401", 86_401_000],
    [500, "9".repeat(400), Infinity],
    [404, formatDateAfter(60), 60_000],
    [301, formatDateAfter(7 * 86_400), 604_800_000],
    [410, formatDateAfter(-60), 0],
    [500, "soon", undefined],
    [500, "", undefined],
  ])("of %d with Retry-After %j sets the pause", async (status, retryAfter, retryAfterMs) => {
    const outcome = await sendForAnswer(text(status, "", { "retry-after": retryAfter }));
    expect(outcome).toMatchObject({ outcome: "failed", status });
    expect("retryAfterMs" in outcome ? outcome.retryAfterMs : undefined).toBe(retryAfterMs);
  });

  test.each<[string, Answer]>([
    ["is ten times as long as the limit", tooLarge],
    ["never ends", endless(200)],
  ])("that %s counts as a delivery, of which the beginning is kept", async (_, answer) => {
    const outcome = await sendForAnswer(answer);
    expect(outcome).toMatchObject({ outcome: "delivered", status: 200 });
    expect(outcome.answer).toHaveLength(maxAnswerBytes);
  });

  test("is kept as text of which nothing is lost where it arrives in pieces", async () => {
    const outcome = await sendForAnswer(async (response) => {
      response.writeHead(200);
      for (const byte of Buffer.from("half a €, and \u001b[2J")) {
        await new Promise((resolve) => {
          response.write(Buffer.of(byte), resolve);
        });
      }
      response.end(Buffer.of(0xe2, 0x82));
    });
    expect(outcome.answer).toBe("half a €, and \u001b[2J\ufffd");
  });

  test("that never ends is a failure if its status is one", async () => {
    expect(await sendForAnswer(endless(500))).toMatchObject({ outcome: "failed", status: 500 });
  });
});

const lookUpForever = async () => new Promise<never>(() => {});
const failToLookUp = async () =>
  Promise.reject(Object.assign(new Error("queryA ENOTFOUND"), { code: "ENOTFOUND" }));

describe("a failure without an answer", () => {
  test.each<[string, Answer]>([
    ["silence", silence],
    ["half an answer", half],
  ])("follows %s, after the timeout", async (_, answer) => {
    expect(await sendForAnswer(answer, 200)).toEqual({
      outcome: "failed",
      status: null,
      error: "no answer within 0.2 s",
      answer: null,
    });
  });

  test.each<[string, Answer, error: string]>([
    ["a connection that is cut", drop, "the connection was closed before the answer"],
    ["one that is cut midway", halfAndDrop, "the connection was closed before the answer"],
    ["another protocol", noHttp, "the answer is not HTTP"],
    [
      "too many headers",
      text(200, "", { more: "x".repeat(40_000) }),
      "the headers of the answer are too large",
    ],
  ])("follows %s", async (_, answer, error) => {
    expect(await sendForAnswer(answer)).toEqual({
      outcome: "failed",
      status: null,
      error,
      answer: null,
    });
  });

  test("follows a refused connection", async () => {
    const webhook = webhookTo(`http://127.0.0.1:${await freePort()}`);
    expect(await senderForTest().send(webhook)).toEqual({
      outcome: "failed",
      status: null,
      error: "the connection was refused",
      answer: null,
    });
  });

  test("follows a look-up or a TLS handshake that takes too long", async () => {
    const mute = await rawServer();
    const late = { outcome: "failed", status: null, error: "no answer within 0.2 s", answer: null };
    const nameless = senderForTest({ timeoutMs: 200, lookUp: lookUpForever });
    expect(await nameless.send(webhookTo("https://hooks.example"))).toEqual(late);
    const sender = senderForTest({ timeoutMs: 200 });
    expect(await sender.send(webhookTo(`https://127.0.0.1:${mute.port}`))).toEqual(late);
  });

  test("follows an unknown name", async () => {
    expect(
      await senderForTest({ lookUp: failToLookUp }).send(webhookTo("https://hooks.example")),
    ).toEqual({
      outcome: "failed",
      status: null,
      error: "the endpoint's name cannot be found",
      answer: null,
    });
  });

  test("follows the end of the sender", async () => {
    const { url, requests } = await scriptedServer(silence);
    const sender = senderForTest();
    const sent = sender.send(webhookTo(url));
    await expect.poll(() => requests.length).toBe(1);
    await sender.close();
    expect(await sent).toEqual({
      outcome: "failed",
      status: null,
      error: "the service ended before the answer",
      answer: null,
    });
  });
});

describe("a URL", () => {
  test.each<[url: string, error: string]>([
    ["hooks.example", "the endpoint's URL does not begin with https"],
    ["", "the endpoint's URL does not begin with https"],
    ["ftp://127.0.0.1/", "the endpoint's URL does not begin with https"],
    ["file:///etc/passwd", "the endpoint's URL does not begin with https"],
    [
      "https://user:pa55word@hooks.example/",
      "the endpoint's URL has a user or password, which webhooks may not have",
    ],
    [
      "https://user@hooks.example/",
      "the endpoint's URL has a user or password, which webhooks may not have",
    ],
  ])("%j gets no request", async (url, error) => {
    const outcome = await senderForTest({ lookUp: failToLookUp }).send(webhookTo(url));
    expect(outcome).toEqual({
      outcome: "failed",
      status: null,
      error,
      answer: null,
    });
  });

  test("with http gets a request only if the webhook allows http", async () => {
    const { url, requests } = await scriptedServer(text(200, ""));
    const refused = { outcome: "failed", error: "the endpoint's URL does not begin with https" };
    const strict = senderForTest({ allowPrivate: false });
    for (const sender of [strict, senderForTest()]) {
      expect(await sender.send(webhookTo(url, { allowHttp: false }))).toMatchObject(refused);
    }
    const forbidden = { error: "127.0.0.1 is a private address, which webhooks may not reach" };
    expect(await strict.send(webhookTo(url))).toMatchObject(forbidden);
    expect(requests).toEqual([]);
    const outcome = await senderForTest().send(webhookTo(url));
    expect(outcome).toMatchObject({ outcome: "delivered", status: 200 });
  });

  test.each([
    "/ HTTP/1.1\r\nX-Injected: 1\r\n\r\n",
    "/%0d%0aX-Injected:%201",
    "/?a=\r\nX-Injected: 1",
    "/?a=\u010d\u010aX-Injected: 1",
    "/#\r\nX-Injected: 1",
    "\\\r\nX-Injected: 1",
  ])("with %j cannot add a request or a header", async (path) => {
    const { url, requests } = await scriptedServer(text(200, ""));
    const outcome = await senderForTest().send(webhookTo(url + path));
    expect(outcome).toMatchObject({ outcome: "delivered", status: 200 });
    expect(requests).toHaveLength(1);
    expect(requests[0]?.headers).not.toHaveProperty("x-injected");
  });
});
