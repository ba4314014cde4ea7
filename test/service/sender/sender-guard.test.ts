import { beforeAll, describe, expect, test } from "vitest";
import { createGuardedConnector } from "../../../src/service/sender/guarded-connector.ts";
import type { SenderSettings } from "../../../src/service/sender/sender.ts";
import { forbiddenForms } from "./forbidden-forms.ts";
import { rawServer, type RawServer } from "../../testkit/sockets/raw-server.ts";
import { senderForTest, webhookTo } from "../../testkit/service/sender-for-test.ts";

/** Where some of the forbidden forms lead. */
let server: RawServer;
beforeAll(async () => {
  server = await rawServer();
});

/** What is said of a webhook to a host, whose port is that of the server. */
async function refusalOf(host: string, settings: Partial<SenderSettings> = {}) {
  const sender = senderForTest({ allowPrivate: false, timeoutMs: 5_000, ...settings });
  return await sender.send(webhookTo(`http://${host}:${server.port}/`));
}

function failure(error: string) {
  return { outcome: "failed", status: null, error };
}
const namesForbidden = failure(
  "the endpoint's name leads to a private address, which webhooks may not reach",
);

describe("nobody is connected to", () => {
  test.each(forbiddenForms)("where a URL has %s: %s", async (_, form) => {
    const address = new URL(`http://${form}`).hostname.replace(/^\[(.*)\]$/, "$1");
    const error = `${address} is a private address, which webhooks may not reach`;
    expect(await refusalOf(form)).toEqual(failure(error));
    expect(server.connections).toBe(0);
  });

  test.each(forbiddenForms)("where a name leads to %s: %s", async (_, form) => {
    const address = new URL(`http://${form}`).hostname.replace(/^\[(.*)\]$/, "$1");
    const outcome = await refusalOf("hooks.example", { lookUp: async () => [address] });
    expect(outcome).toEqual(namesForbidden);
    expect(server.connections).toBe(0);
  });

  test.each([
    [["127.0.0.1", "93.184.216.34"]],
    [["93.184.216.34", "127.0.0.1"]],
    [["2606:2800:220:1::1", "93.184.216.34", "::1"]],
    [["fe80::1%eth0"]],
    [["localhost"]],
  ])("where one of a name's addresses is forbidden: %j", async (addresses) => {
    const outcome = await refusalOf("hooks.example", { lookUp: async () => addresses });
    expect(outcome).toEqual(namesForbidden);
    expect(server.connections).toBe(0);
  });

  test.each(["localhost", "LOCALHOST", "localhost.", "127.0.0.1.%6c%6f%63%61%6c%68%6f%73%74"])(
    "where a name is this machine's: %s",
    async (name) => {
      expect(await refusalOf(name)).toMatchObject({ outcome: "failed", status: null });
      expect(server.connections).toBe(0);
    },
  );
});

/** What a connection to a name comes to whose look-ups are answered so, and which of them were made. */
async function connected(
  protocol: "http:" | "https:",
  answers: string[],
  isForbidden: (address: string) => boolean,
) {
  const looks: string[] = [];
  const lookUp = async () => {
    looks.push(answers[looks.length] ?? "");
    return looks.slice(-1);
  };
  const connect = createGuardedConnector({ lookUp, isForbidden, timeoutMs: 5_000, ca: undefined });
  const target = { hostname: "hooks.example", protocol, port: String(server.port) };
  const outcome = await new Promise<string | undefined>((resolve) => {
    connect(target, (error, socket) => {
      resolve(error ? error.message : socket?.remoteAddress);
      socket?.destroy();
    });
  });
  return { outcome, looks };
}
const isSecond = (address: string) => address === "127.0.0.2";

describe("a name that changes what it says", () => {
  test("is connected to at the address that was judged", async () => {
    expect(await connected("http:", ["127.0.0.1", "127.0.0.2"], isSecond)).toEqual({
      outcome: "127.0.0.1",
      looks: ["127.0.0.1"],
    });
  });

  test("is not looked up a second time where the first answer is forbidden", async () => {
    const { outcome, looks } = await connected("http:", ["127.0.0.2", "127.0.0.1"], isSecond);
    expect(outcome).toBe(namesForbidden.error);
    expect(looks).toEqual(["127.0.0.2"]);
  });

  test("is sent nothing, should the connection lead elsewhere all the same", async () => {
    let judged = 0;
    const before = server.connections;
    const { outcome } = await connected("https:", ["127.0.0.1"], () => judged++ > 0);
    expect(outcome).toBe(namesForbidden.error);
    await expect.poll(() => [server.connections, server.sockets.size]).toEqual([before + 1, 0]);
    expect(server.bytes).toBe(0);
  });
});
