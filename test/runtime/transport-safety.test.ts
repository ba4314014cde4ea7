import { afterEach, describe, expect, test, vi } from "vitest";
import { PaymentsClient } from "../../src/client/client.ts";
import { assertMayForward } from "../../src/client/webhook-forwarder.ts";
import { paymentWith } from "../testkit/api-objects.ts";
import { json, scriptedServer } from "../testkit/client/scripted-server.ts";
import { openUntilFileEnds } from "../testkit/open-until-file-ends.ts";

const [testKey, liveKey] = ["svc_test_sk_key", "svc_live_sk_key"];
const elsewhere = [
  "http://192.0.2.2:8402",
  "http://payments.example",
  "HTTP://payments.example",
  "http://127.0.0.1.evil.example",
  String.raw`http://evil.example\@127.0.0.1`,
  "http://localhost.example",
  "http://[::2]",
];
const safe = [
  "https://payments.example",
  "http://127.0.0.1:8402",
  "http://127.1.2.3",
  "http://[::1]:1",
  "http://localhost",
  "http://api.localhost:3000",
];

afterEach(() => {
  vi.unstubAllEnvs();
});

const to = (baseUrl: string, apiKey: string) => () => new PaymentsClient({ baseUrl, apiKey });

describe("a client", () => {
  test.each(elsewhere)("sends its key over plain http to no other machine: %s", (baseUrl) => {
    const create = () => new PaymentsClient({ baseUrl, apiKey: testKey });
    expect(create).toThrow(TypeError);
    expect(create).toThrow(/^baseUrl is not encrypted: .* read the key\..*allowHttp: true/);
    expect(() => new PaymentsClient({ baseUrl, apiKey: testKey, allowHttp: false })).toThrow(
      "http",
    );
  });

  test.each(safe)("sends it to %s", (baseUrl) => {
    expect(() => new PaymentsClient({ baseUrl, apiKey: liveKey })).not.toThrow();
  });

  test("sends it anywhere with allowHttp", async () => {
    const payment = paymentWith();
    const proxy = await scriptedServer(json(200, payment));
    vi.stubEnv("HTTP_PROXY", proxy.url);
    const options = { baseUrl: "http://payments.example", apiKey: testKey, allowHttp: true };
    const client = new PaymentsClient(options);
    openUntilFileEnds(async () => client.close());
    expect(await client.payments.retrieve(payment.id)).toEqual(payment);
  });

  test("sends a live key to nobody whose certificate is not checked", () => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    expect(to("https://payments.example", liveKey)).toThrow(/^NODE_TLS_REJECT_UNAUTHORIZED=0/);
    expect(to("https://payments.example", testKey)).not.toThrow();
    expect(to("http://127.0.0.1:8402", liveKey)).not.toThrow();
  });

  test.each(["4242 4242 4242 4242", "svc_test_sk_0123456789", "whsec_AAAA"])(
    "makes no id that is a secret part of a URL: %s",
    async (id) => {
      const server = await scriptedServer(json(200, paymentWith()));
      const client = new PaymentsClient({ baseUrl: server.url, apiKey: testKey });
      openUntilFileEnds(async () => client.close());
      const calls = [
        async () => client.payments.retrieve(id),
        async () => client.payments.refund(id),
        async () => client.webhookEndpoints.delivery("we_1", id),
      ];
      for (const call of calls) {
        await expect(call).rejects.toThrow(TypeError);
        await expect(call).rejects.not.toThrow(id);
      }
      expect(server.requests).toEqual([]);
    },
  );

  test("makes no key part of a URL by a query", async () => {
    const server = await scriptedServer(json(200, { object: "list", data: [], has_more: false }));
    const client = new PaymentsClient({ baseUrl: server.url, apiKey: testKey });
    openUntilFileEnds(async () => client.close());
    const search = `find ${testKey}`;
    await expect(async () => client.payments.list({ search })).rejects.toThrow(
      /^search has a key or a card number in it/,
    );
    expect(server.requests).toEqual([]);
  });
});

describe("live events", () => {
  test.each(elsewhere)("are forwarded over plain http to no other machine: %s", (address) => {
    const url = URL.parse(address)!;
    expect(() => assertMayForward(url, { isLive: true })).toThrow(/read live events/);
    expect(() => assertMayForward(url, { isLive: false })).not.toThrow();
    expect(() => assertMayForward(url, { isLive: true, allowHttp: true })).not.toThrow();
  });

  test.each(safe)("are forwarded to %s", (address) => {
    expect(() => assertMayForward(URL.parse(address)!, { isLive: true })).not.toThrow();
  });
});
