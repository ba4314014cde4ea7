import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bodyWith } from "../../testkit/api-objects.ts";
import { openApp, refusalOf } from "../../testkit/app/open-app.ts";
import { rawAnswer, rawConnection } from "../../testkit/sockets/raw-sockets.ts";

const { app, keys, logged, close } = await openApp();
let url = "";
beforeAll(async () => {
  url = await app.listen({ host: "127.0.0.1", port: 0 });
});
afterAll(close);

const authorization = `Authorization: Bearer ${keys.test}`;
const list = ["GET /v1/payments HTTP/1.1", "Host: x", authorization];
const chunked = [
  "POST /v1/payments HTTP/1.1",
  "Host: x",
  authorization,
  "Content-Type: application/json",
  "Transfer-Encoding: chunked",
];

describe("invalid HTTP is answered 400, and the connection closed", () => {
  test.each([
    ["garbage", "garbage\r\n\r\n"],
    ["a TLS greeting", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
    ["the greeting of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["an unknown method", "FETCH /v1/payments HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["an unknown version", "GET /v1/payments HTTP/7.7\r\nHost: x\r\n\r\n"],
    ["a header without a name", `${list.join("\r\n")}\r\n: x\r\n\r\n`],
    ["a header with a space in its name", `${list.join("\r\n")}\r\nX Y: z\r\n\r\n`],
    ["a header with a NUL", `${list.join("\r\n")}\r\nX: \0\r\n\r\n`],
    ["lines that end in LF alone", "GET /v1/payments HTTP/1.1\nHost: x\n\n"],
    ["a length that is no number", `${list.join("\r\n")}\r\nContent-Length: ten\r\n\r\n`],
    ["two lengths", `${list.join("\r\n")}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n`],
    ["a length beside chunks", `${chunked.join("\r\n")}\r\nContent-Length: 2\r\n\r\n0\r\n\r\n`],
    ["a chunk without a size", `${chunked.join("\r\n")}\r\n\r\nten\r\n{}\r\n0\r\n\r\n`],
    ["a chunk longer than its size", `${chunked.join("\r\n")}\r\n\r\n1\r\n{}\r\n0\r\n\r\n`],
  ])("%s", async (_, bytes) => {
    const connection = await rawConnection(url);
    connection.send(Buffer.from(bytes, "latin1"));
    const answer = await connection.answer();
    expect(refusalOf(answer)).toEqual({ status: 400, code: "malformed_request", param: null });
    expect(answer.headers["connection"]).toBe("close");
    expect(await connection.ended).toBe("");
  });

  test("a request that the client ends in the middle of its headers", async () => {
    const connection = await rawConnection(url);
    connection.socket.end("GET /v1/payments HT");
    expect(refusalOf(await connection.answer()).code).toBe("malformed_request");
    expect(await connection.ended).toBe("");
  });

  test("garbage after a response, which gets a response of its own", async () => {
    const connection = await rawConnection(url);
    connection.send(`${list.join("\r\n")}\r\n\r\n`);
    expect((await connection.answer()).status).toBe(200);
    connection.send("garbage\r\n\r\n");
    expect(refusalOf(await connection.answer()).code).toBe("malformed_request");
    expect(await connection.ended).toBe("");
  });
});

describe("headers over 16 KiB are answered 431", () => {
  const refusal = { status: 431, code: "headers_too_large", param: null };

  test.each([
    ["one header", [...list, `X: ${"x".repeat(17_000)}`]],
    [
      "many headers",
      [...list, ...Array.from({ length: 1_000 }, (_, index) => `X-${index}: ${"x".repeat(20)}`)],
    ],
    ["the key", ["GET /v1/payments HTTP/1.1", "Host: x", `Authorization: ${"x".repeat(17_000)}`]],
    ["the path", [`GET /v1/payments/${"x".repeat(17_000)} HTTP/1.1`, "Host: x", authorization]],
  ])("by %s", async (_, lines) => {
    const answer = await rawAnswer(url, lines);
    expect(refusalOf(answer)).toEqual(refusal);
    expect(answer.headers["connection"]).toBe("close");
  });

  test("but a path within the limit is looked up", async () => {
    const lines = [`GET /v1/payments/${"x".repeat(15_000)} HTTP/1.1`, "Host: x", authorization];
    expect(refusalOf(await rawAnswer(url, lines)).code).toBe("resource_missing");
  });
});

describe("a Host header", () => {
  test("is required by HTTP/1.1", async () => {
    for (const target of ["/v1/payments", "/docs/errors", "/v1/%zz", "http://x/v1/payments"]) {
      const answer = await rawAnswer(url, [`GET ${target} HTTP/1.1`, authorization]);
      expect(refusalOf(answer)).toEqual({ status: 400, code: "malformed_request", param: null });
    }
  });

  test.each(["HTTP/1.1", "HTTP/1.0"])("must not be repeated in %s", async (version) => {
    for (const [first, second] of [
      ["Host: x", "Host: y"],
      ["Host: x", "hOST: x"],
    ]) {
      for (const target of ["/v1/payments", "/docs/errors", "/pay/x", "/v1/%zz"]) {
        const lines = [`GET ${target} ${version}`, first ?? "", authorization, second ?? ""];
        expect((await rawAnswer(url, lines)).status).toBe(400);
      }
    }
  });

  test.each(["a b", "a,b c", "user@x", "http://x", "x/y", "x:port", "[::1", "x\\y", "\u00e9"])(
    "must be a host, which %j is not",
    async (host) => {
      const answer = await rawAnswer(url, [...list.slice(0, 1), `Host: ${host}`, authorization]);
      expect(refusalOf(answer)).toEqual({ status: 400, code: "malformed_request", param: null });
    },
  );

  test.each([
    "x",
    "",
    "x:8402",
    "x:",
    "127.0.0.1:1",
    "[::1]:8402",
    "a_b.c-d",
    "%41",
    "[fe80::1%25eth0]",
  ])("may be %j", async (host) => {
    const answer = await rawAnswer(url, [...list.slice(0, 1), `Host: ${host}`, authorization]);
    expect(answer.status).toBe(200);
  });

  test("is not required by HTTP/1.0", async () => {
    const answer = await rawAnswer(url, ["GET /v1/payments HTTP/1.0", authorization]);
    expect(answer.status).toBe(200);
  });
});

describe("an expectation", () => {
  test("that is unknown is ignored", async () => {
    const answer = await rawAnswer(url, [...list, "Expect: nonsense"]);
    expect(answer.status).toBe(200);
    const unknown = ["GET /v1/nothing HTTP/1.1", "Host: x", "Expect: nonsense"];
    expect(refusalOf(await rawAnswer(url, unknown)).status).toBe(401);
  });

  test("of 100-continue is met before the body is read", async () => {
    const body = JSON.stringify(bodyWith({}));
    const connection = await rawConnection(url);
    const head = [
      ...chunked.slice(0, -1),
      `Content-Length: ${body.length}`,
      "Expect: 100-continue",
    ];
    connection.send(`${head.join("\r\n")}\r\n\r\n`);
    expect((await connection.answer()).status).toBe(100);
    connection.send(body);
    expect((await connection.answer()).status).toBe(201);
    connection.close();
  });
});

test("an offer to upgrade the connection is ignored", async () => {
  const answer = await rawAnswer(url, [...list, "Connection: Upgrade", "Upgrade: h2c"]);
  expect(answer.status).toBe(200);
});

test("a client that disconnects in the middle of its body logs no error", async () => {
  const connection = await rawConnection(url);
  connection.send(`${chunked.join("\r\n")}\r\n\r\n5\r\n{"amo`);
  await new Promise((resolve) => setTimeout(resolve, 100));
  connection.close();
  await connection.ended;
  const next = await rawAnswer(url, list);
  expect(JSON.parse(next.text)).toMatchObject({ object: "list" });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(logged.filter(({ level }) => level === "error")).toEqual([]);
});

test("a tunnel is refused with a response", async () => {
  const { socket, answer, ended } = await rawConnection(url);
  socket.write("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n");
  const refused = refusalOf(await answer());
  expect(refused).toMatchObject({ status: 400, code: "malformed_request" });
  await ended;
});
