import { createServer, type IncomingMessage } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { PaymentsClient } from "../../src/client/client.ts";
import { findProxy, isRuledOut } from "../../src/runtime/http-transport.ts";
import { paymentWith } from "../testkit/api-objects.ts";
import { json, scriptedServer } from "../testkit/client/scripted-server.ts";

const proxy = "http://proxy.example:3128";

describe("the proxy for a service", () => {
  test.each([
    ["https://payments.example", { HTTPS_PROXY: proxy }],
    ["https://payments.example", { https_proxy: proxy }],
    ["https://payments.example", { HTTPS_PROXY: "proxy.example:3128" }],
    ["https://payments.example", { HTTPS_PROXY: proxy, https_proxy: "http://other.example" }],
    ["http://payments.example", { HTTP_PROXY: proxy, HTTPS_PROXY: "http://other.example" }],
    ["http://payments.example", { http_proxy: proxy }],
    ["http://127.payments.example", { http_proxy: proxy }],
  ])("%s with %j is the one in the variable", (url, env) => {
    expect(findProxy(new URL(url), env)).toEqual({ url: proxy, except: "" });
  });

  test.each([
    ["https://payments.example", {}],
    ["https://payments.example", { HTTPS_PROXY: "", HTTP_PROXY: proxy }],
    ["http://payments.example", { HTTPS_PROXY: proxy }],
    ["http://localhost:8402", { HTTP_PROXY: proxy }],
    ["http://api.localhost", { HTTP_PROXY: proxy }],
    ["http://127.0.0.1:8402", { HTTP_PROXY: proxy }],
    ["https://[::1]:8402", { HTTPS_PROXY: proxy }],
  ])("%s with %j is none", (url, env) => {
    expect(findProxy(new URL(url), env)).toBeUndefined();
  });

  test.each(["http://", "http://user:secret@:x", "ftp://secret.example"])(
    "cannot be %s, which the error does not repeat",
    (HTTPS_PROXY) => {
      expect(() => findProxy(new URL("https://payments.example"), { HTTPS_PROXY })).toThrow(
        expect.objectContaining({
          name: "Unavailable",
          message: "HTTPS_PROXY is not the address of a proxy.",
        }),
      );
    },
  );
});

test.each([
  [true, "*", "https://payments.example"],
  [true, "other.example, *", "https://payments.example"],
  [true, "payments.example", "https://payments.example"],
  [true, "PAYMENTS.example.", "https://payments.example"],
  [true, "example", "https://payments.example"],
  [true, ".example", "https://payments.example"],
  [true, "*.example", "https://payments.example"],
  [true, "a.example b.example", "https://b.example"],
  [true, "payments.example:443", "https://payments.example"],
  [true, "payments.example:8443", "https://payments.example:8443"],
  [true, "2001:db8::1", "https://[2001:db8::1]"],
  [true, "[2001:db8::1]:443", "https://[2001:db8::1]"],
  [false, "", "https://payments.example"],
  [false, ",", "https://payments.example"],
  [false, "ments.example", "https://payments.example"],
  [false, "*.payments.example", "https://payments.example"],
  [false, "payments.example:80", "https://payments.example"],
  [false, "*:80", "https://payments.example"],
])("whether a proxy is ruled out (%j) by NO_PROXY=%j for %s", (ruledOut, except, url) => {
  expect(isRuledOut(new URL(url), { url: proxy, except })).toBe(ruledOut);
});

const closing: (() => void)[] = [];
afterAll(() => closing.forEach((close) => close()));
afterEach(() => void vi.unstubAllEnvs());

/** A proxy that forwards every request to one server, whatever its host. */
async function startProxy(port: number) {
  const seen: { line: string; headers: IncomingMessage["headers"] }[] = [];
  const firstBytes: Buffer[] = [];
  const server = createServer((request, response) => {
    seen.push({ line: `${request.method} ${request.url}`, headers: request.headers });
    const path = new URL(request.url ?? "").pathname;
    void (async () => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`);
      response.writeHead(answer.status, { "content-type": "application/json" });
      response.end(await answer.text());
    })();
  });
  server.on("connect", (request, socket) => {
    seen.push({ line: `CONNECT ${request.url}`, headers: request.headers });
    const upstream = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      socket.once("data", (chunk: Buffer) => firstBytes.push(chunk));
      socket.pipe(upstream).pipe(socket);
    });
    upstream.on("error", () => socket.destroy());
    socket.on("error", () => upstream.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `http://ada:secret@${host}`, seen, firstBytes };
}

const apiKey = "svc_test_sk_key";
const basic = `Basic ${Buffer.from("ada:secret").toString("base64")}`;

async function setUp() {
  const service = await scriptedServer(json(200, paymentWith()));
  return { service, through: await startProxy(Number(new URL(service.url).port)) };
}

async function retrievePayment(baseUrl: string) {
  const client = new PaymentsClient({ apiKey, baseUrl, maxRetries: 0, allowHttp: true });
  try {
    return await client.payments.retrieve(paymentWith().id);
  } finally {
    await client.close();
  }
}

describe("a client whose environment names a proxy", () => {
  test("reaches an http service through it", async () => {
    const { through } = await setUp();
    vi.stubEnv("HTTP_PROXY", through.url);
    expect(await retrievePayment("http://payments.invalid")).toEqual(paymentWith());
    expect(through.seen).toMatchObject([
      {
        line: `GET http://payments.invalid/v1/payments/${paymentWith().id}`,
        headers: { host: "payments.invalid", "proxy-authorization": basic },
      },
    ]);
  });

  test("tunnels TLS to an https service, whose key the proxy never sees", async () => {
    const { through, service } = await setUp();
    vi.stubEnv("HTTPS_PROXY", through.url);
    // The server at the end of this tunnel does not speak TLS.
    await expect(retrievePayment("https://payments.invalid")).rejects.toThrow("speak TLS?");
    expect(through.seen).toMatchObject([
      { line: "CONNECT payments.invalid:443", headers: { "proxy-authorization": basic } },
    ]);
    expect(through.seen[0]?.headers.authorization).toBeUndefined();
    const handshake = 0x16;
    expect(through.firstBytes[0]?.[0]).toBe(handshake);
    expect(service.requests).toEqual([]);
  });

  test("sends nothing if the proxy refuses the tunnel, or is unreachable", async () => {
    const refusing = createServer().on("connect", (_request, socket) => {
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    });
    await new Promise<void>((resolve) => {
      refusing.listen(0, "127.0.0.1", resolve);
    });
    vi.stubEnv("HTTPS_PROXY", `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`);
    const unsent = { name: "ConnectionError", sent: false };
    await expect(retrievePayment("https://payments.invalid")).rejects.toMatchObject(unsent);
    refusing.closeAllConnections();
    await new Promise((resolve) => {
      refusing.close(resolve);
    });
    await expect(retrievePayment("https://payments.invalid")).rejects.toMatchObject(unsent);
    vi.stubEnv("HTTP_PROXY", process.env["HTTPS_PROXY"]);
    await expect(retrievePayment("http://payments.invalid")).rejects.toMatchObject(unsent);
  });

  test("does not use it for the hosts of NO_PROXY, nor on this machine", async () => {
    const { through, service } = await setUp();
    vi.stubEnv("HTTP_PROXY", through.url);
    expect(await retrievePayment(service.url)).toEqual(paymentWith());
    vi.stubEnv("NO_PROXY", "example.com,.invalid");
    await expect(retrievePayment("http://payments.invalid")).rejects.toThrow(
      new RegExp(`ENOTFOUND.*; NO_PROXY rules out the proxy ${new URL(through.url).host}\\.`),
    );
    expect(through.seen).toEqual([]);
  });
});
