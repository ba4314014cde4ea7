import { beforeAll, describe, expect, test } from "vitest";
import { createGuardedConnector } from "../../../src/service/webhooks/guarded-connector.ts";
import type { SenderSettings } from "../../../src/service/webhooks/webhook-sender.ts";
import { forbiddenForms } from "./forbidden-forms.ts";
import { rawServer, type RawServer } from "../../testkit/sockets/raw-sockets.ts";
import { senderForTest, webhookTo } from "../../testkit/service/webhooks.ts";

/** A server at an address of some of the forbidden forms. */
let server: RawServer;
beforeAll(async () => {
  server = await rawServer();
});

/** Sends a webhook to a host, at the port of the server. */
async function sendTo(host: string, settings: Partial<SenderSettings> = {}) {
  const sender = senderForTest({ allowPrivate: false, timeoutMs: 5_000, ...settings });
  return await sender.send(webhookTo(`http://${host}:${server.port}/`));
}

function buildFailure(error: string) {
  return { outcome: "failed", status: null, error, answer: null };
}
const namesForbidden = buildFailure(
  "the endpoint's name leads to a private address, which webhooks may not reach",
);

// Every form is proved in forbidden-addresses.test.ts.
const someForms = forbiddenForms.filter((_, at) => at % 10 === 0);

describe("no connection is opened", () => {
  test.each(someForms)("if the URL has %s: %s", async (_, form) => {
    const address = new URL(`http://${form}`).hostname.replace(/^\[(.*)\]$/, "$1");
    const error = `${address} is a private address, which webhooks may not reach`;
    expect(await sendTo(form)).toEqual(buildFailure(error));
    expect(server.connections).toBe(0);
  });

  test.each(someForms)("if a name leads to %s: %s", async (_, form) => {
    const address = new URL(`http://${form}`).hostname.replace(/^\[(.*)\]$/, "$1");
    const outcome = await sendTo("hooks.example", { lookUp: async () => [address] });
    expect(outcome).toEqual(namesForbidden);
    expect(server.connections).toBe(0);
  });

  test.each([
    [["127.0.0.1", "93.184.216.34"]],
    [["93.184.216.34", "127.0.0.1"]],
    [["2606:2800:220:1::1", "93.184.216.34", "::1"]],
    [["fe80::1%eth0"]],
    [["localhost"]],
  ])("if one of a name's addresses is forbidden: %j", async (addresses) => {
    const outcome = await sendTo("hooks.example", { lookUp: async () => addresses });
    expect(outcome).toEqual(namesForbidden);
    expect(server.connections).toBe(0);
  });

  test.each([
    "localhost",
    "LOCALHOST",
    "localhost.",
    "shop.localhost",
    "127.0.0.1.%6c%6f%63%61%6c%68%6f%73%74",
  ])("if the name is this machine's, and the reason says so: %s", async (name) => {
    expect(await sendTo(name)).toEqual(namesForbidden);
    expect(server.connections).toBe(0);
  });
});

/** Connects to a name with these answers to its look-ups; returns the outcome, and the answers that were used. */
async function connectTo(
  protocol: "http:" | "https:",
  answers: string[],
  isForbidden: (address: string) => boolean,
) {
  const lookups: string[] = [];
  const lookUp = async () => {
    lookups.push(answers[lookups.length] ?? "");
    return lookups.slice(-1);
  };
  const connect = createGuardedConnector({ lookUp, isForbidden, timeoutMs: 5_000, ca: undefined });
  const target = { hostname: "hooks.example", protocol, port: String(server.port) };
  const outcome = await new Promise<string | undefined>((resolve) => {
    connect(target, (error, socket) => {
      resolve(error ? error.message : socket?.remoteAddress);
      socket?.destroy();
    });
  });
  return { outcome, lookups };
}
const isSecond = (address: string) => address === "127.0.0.2";

describe("a name whose address changes", () => {
  test("is connected to at the address that was checked", async () => {
    expect(await connectTo("http:", ["127.0.0.1", "127.0.0.2"], isSecond)).toEqual({
      outcome: "127.0.0.1",
      lookups: ["127.0.0.1"],
    });
  });

  test("is not looked up a second time if the first address is forbidden", async () => {
    const { outcome, lookups } = await connectTo("http:", ["127.0.0.2", "127.0.0.1"], isSecond);
    expect(outcome).toBe(namesForbidden.error);
    expect(lookups).toEqual(["127.0.0.2"]);
  });

  test("is sent nothing if the connected address turns out to be forbidden", async () => {
    let checks = 0;
    const before = server.connections;
    const { outcome } = await connectTo("https:", ["127.0.0.1"], () => checks++ > 0);
    expect(outcome).toBe(namesForbidden.error);
    await expect.poll(() => [server.connections, server.sockets.size]).toEqual([before + 1, 0]);
    expect(server.bytes).toBe(0);
  });
});
