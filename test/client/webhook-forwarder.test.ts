import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { createWebhookForwarder } from "../../src/client/webhook-forwarder.ts";
import { eventWith, newSecret } from "../testkit/api-objects.ts";
import { freePort } from "../testkit/sockets/tcp-proxy.ts";
import { openUntilFileEnds } from "../testkit/open-until-file-ends.ts";
import {
  drop,
  half,
  scriptedServer,
  silence,
  text,
  type Answer,
} from "../testkit/client/scripted-server.ts";

const event = eventWith();

function forwarderTo(url: string, { secret = newSecret(), timeoutMs = 30_000, headers = {} } = {}) {
  const options = { secret, version: "1.2.3", nowMs: Date.now, timeoutMs, headers, isLive: true };
  const forwarder = createWebhookForwarder(new Map([["*", new URL(url)]]), options);
  openUntilFileEnds(forwarder.close);
  return forwarder;
}

/** The outcome of an event that is forwarded to a server with this response. */
async function forwardedTo(answer: Answer, options: { timeoutMs?: number } = {}) {
  const server = await scriptedServer(answer);
  const forwarded = await forwarderTo(server.url, options).forward(event);
  return { forwarded, requests: server.requests };
}

describe.concurrent("an event that is forwarded", () => {
  test("is sent as a webhook is: its JSON, signed, to the whole address", async () => {
    const server = await scriptedServer(text(200, "ok"));
    const secret = newSecret();
    const forwarded = await forwarderTo(`${server.url}/hooks?from=here#x`, { secret }).forward(
      event,
    );
    expect(forwarded).toEqual({
      status: 200,
      tookMs: expect.any(Number) as number,
      response: { statusText: "OK", body: "ok", isCut: false },
    });
    const [request] = server.requests;
    expect(request).toMatchObject({
      method: "POST",
      path: "/hooks?from=here",
      body: JSON.stringify(event),
      headers: {
        "content-type": "application/json",
        "user-agent": "payments/1.2.3",
        "webhook-id": event.id,
      },
    });
    const headers = request?.headers as Record<string, string>;
    expect(new Webhook(secret).verify(request?.body ?? "", headers)).toEqual(event);
    expect(() => new Webhook(newSecret()).verify(request?.body ?? "", headers)).toThrow(
      "signature",
    );
  });

  test.each([204, 302, 410, 500])(
    "and answered %i has that status, and is sent once",
    async (status) => {
      const location = { location: "http://127.0.0.1:1/" };
      const { forwarded, requests } = await forwardedTo(text(status, "", location));
      expect(forwarded).toMatchObject({ status });
      expect(requests).toHaveLength(1);
    },
  );

  test("and answered with a very large body has the first 4 KiB of it, in whole characters", async () => {
    const { forwarded } = await forwardedTo(text(200, `x${"é".repeat(500_000)}`));
    const body = `x${"é".repeat(2_047)}`;
    expect(forwarded).toMatchObject({ status: 200, response: { body, isCut: true } });
  });

  test("has the headers that were asked for, each as often as it was", async () => {
    const server = await scriptedServer(text(200, "ok"));
    const headers = { authorization: ["Bearer abc"], "x-shop": ["1", "2"] };
    await forwarderTo(server.url, { headers }).forward(event);
    expect(server.requests[0]?.headers).toMatchObject({
      authorization: "Bearer abc",
      "x-shop": "1, 2",
      "webhook-id": event.id,
    });
  });

  test.each([
    ["is not answered", silence, "no answer within 0.2 s"],
    ["is half answered", half, "no answer within 0.2 s"],
    ["loses its connection", drop, "other side closed"],
  ])("and %s has failed", async (_, answer, failure) => {
    const { forwarded } = await forwardedTo(answer, { timeoutMs: 200 });
    expect(forwarded).toMatchObject({ status: null, failure });
  });

  test.each(["127.0.0.1", "localhost"])("to a closed port of %s is refused", async (host) => {
    const forwarder = forwarderTo(`http://${host}:${await freePort()}`);
    expect(await forwarder.forward(event)).toMatchObject({ status: null, failure: "refused" });
  });

  test("reaches a restarted program although the old one left connections open", async () => {
    const first = await scriptedServer(text(200, "ok"));
    const forwarder = forwarderTo(first.url);
    for (let times = 0; times < 3; times++) {
      expect(await forwarder.forward(event)).toMatchObject({ status: 200 });
    }
    expect(first.requests.map(({ headers }) => headers.connection)).toEqual(
      Array.from({ length: 3 }, () => "close"),
    );
  });

  test("goes to the address for its type, else to that for the rest, else nowhere", async () => {
    const { url, requests } = await scriptedServer(text(200, "ok"));
    const at = (path: string) => new URL(url + path);
    const options = {
      secret: newSecret(),
      version: "1.2.3",
      nowMs: Date.now,
      timeoutMs: 30_000,
      isLive: false,
    };
    const failed = ["payment.failed", at("/failed")] as const;
    const all = createWebhookForwarder(new Map([failed, ["*", at("/rest")]]), options);
    const some = createWebhookForwarder(new Map([failed]), options);
    for (const forwarder of [all, some]) openUntilFileEnds(forwarder.close);
    const forwarded = [];
    for (const type of ["payment.failed", "payment.refunded"] as const) {
      for (const { forward } of [all, some]) forwarded.push(await forward({ ...event, type }));
    }
    expect(forwarded.map((each) => each?.status)).toEqual([200, 200, 200, undefined]);
    expect(requests.map(({ path }) => path)).toEqual(["/failed", "/failed", "/rest"]);
  });
});
