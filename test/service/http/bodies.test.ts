import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import { bodyWith } from "../../testkit/api-objects.ts";
import { openApp, refusalOf } from "../../testkit/app/open-app.ts";
import { rawAnswer } from "../../testkit/sockets/raw-sockets.ts";

const { app, call, keys, close } = await openApp();
let url = "";
beforeAll(async () => {
  url = await app.listen({ host: "127.0.0.1", port: 0 });
});
afterAll(close);

const limitBytes = 64 * 1024;
const whole = JSON.stringify(bodyWith({}));
const authorization = `Authorization: Bearer ${keys.test}`;
const lines = (path: string, ...headers: string[]) => [
  `POST ${path} HTTP/1.1`,
  "Host: payments.test",
  authorization,
  ...headers,
];
const padded = (bytes: number) => whole + " ".repeat(bytes - whole.length);
const chunked = (body: string) => `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`;

async function refundPath(): Promise<string> {
  const { text } = await call({ method: "POST", body: whole });
  return `/v1/payments/${(JSON.parse(text) as Payment).id}/refund`;
}

describe("a body is refused with invalid_json when it is", () => {
  test.each([
    ["cut off", whole.slice(0, -1)],
    ["two objects", `${whole}\n${whole}`],
    ["a trailing comma", '{"amount":1,}'],
    ["with NaN", '{"amount":NaN}'],
    ["an array", `[${whole}]`],
    ["a string", '"amount"'],
    ["a number", "4999"],
    ["null", "null"],
    ["only white space", "  \n"],
    ["a form", "amount=4999"],
    ["nested 64 Ki deep and not closed", "[".repeat(limitBytes)],
    ["nested deep around a fraction", `${"[".repeat(32_000)}1.5${"]".repeat(32_000)}`],
  ])("%s", async (_, body) => {
    const answer = await call({ method: "POST", body });
    expect(refusalOf(answer)).toEqual({ status: 400, code: "invalid_json", param: null });
  });

  test.each([
    ["a byte that is never UTF-8", [0xff]],
    ["a character cut off", [0xc3]],
    ["an overlong slash", [0xc0, 0xaf]],
  ])("not UTF-8: %s", async (_, bytes) => {
    const text = JSON.stringify(bodyWith({ description: "…" }));
    const [before = "", after = ""] = text.split("…");
    const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
    const answer = await call({ method: "POST", body });
    expect(refusalOf(answer)).toEqual({ status: 400, code: "invalid_json", param: null });
  });
});

test.each([
  ["objects", '{"a":'.repeat(9_000) + "1" + "}".repeat(9_000)],
  ["a fraction in objects", '{"a":'.repeat(9_000) + "1.5" + "}".repeat(9_000)],
  ["metadata", `{"metadata":{"a":${"[".repeat(30_000)}${"]".repeat(30_000)}}}`],
  [
    "the card",
    `{"amount":1,"currency":"eur","card":${'{"number":'.repeat(4_000)}1${"}".repeat(4_000)}}`,
  ],
])("%s nested thousands deep are refused, not a fault", async (_, body) => {
  expect(refusalOf(await call({ method: "POST", body })).status).toBe(400);
});

describe("a body that is declared as", () => {
  test.each([
    "application/json",
    "application/json; charset=utf-8",
    'Application/JSON; Charset="utf-8"',
    "application/json; charset=utf8",
  ])("%s is read", async (type) => {
    expect((await call({ method: "POST", body: whole, type })).status).toBe(201);
  });

  test.each([
    null,
    "",
    "text/plain",
    "application/json; charset=latin1",
    "application/json; charset=utf-16",
    "application/vnd.api+json",
    "application/json, text/plain",
  ])("%s is refused, though it is JSON", async (type) => {
    const answer = await call({ method: "POST", body: whole, type });
    expect(refusalOf(answer)).toEqual({ status: 415, code: "unsupported_media_type", param: null });
  });
});

describe("a compressed body", () => {
  const json = { method: "POST", type: "application/json" } as const;
  test.each(["gzip", "br", "identity, gzip"])(
    "%s is refused, whatever it contains",
    async (coding) => {
      const headers = { "content-encoding": coding };
      for (const body of [gzipSync(whole), whole]) {
        const answer = await call({ ...json, body, headers });
        expect(refusalOf(answer)).toMatchObject({ status: 415, code: "unsupported_media_type" });
        expect(answer.text).toContain("no `Content-Encoding`");
      }
    },
  );

  test.each(["identity", "Identity", ""])(
    "is accepted uncompressed if it is declared as %j",
    async (coding) => {
      const answer = await call({ ...json, body: whole, headers: { "content-encoding": coding } });
      expect(answer.status).toBe(201);
    },
  );
});

describe("a body that is empty is none", () => {
  test.each([
    ["without a length", []],
    ["of length 0", ["Content-Length: 0"]],
    ["of length 0, compressed", ["Content-Length: 0", "Content-Encoding: gzip"]],
    ["of length 0, declared as no type at all", ["Content-Length: 0", "Content-Type: nonsense"]],
  ])("%s", async (_, headers) => {
    const answer = await rawAnswer(url, lines(await refundPath(), ...headers));
    expect(answer.status).toBe(200);
  });

  test.each([
    ["", []],
    [", declared as no type at all", ["Content-Type: nonsense"]],
  ])("chunked%s", async (_, headers) => {
    const request = lines(await refundPath(), "Transfer-Encoding: chunked", ...headers);
    expect((await rawAnswer(url, request, "0\r\n\r\n")).status).toBe(200);
  });

  test("so that a payment created with it lacks its first field", async () => {
    const answer = await rawAnswer(url, lines("/v1/payments", "Content-Length: 0"));
    expect(refusalOf(answer)).toEqual({ status: 400, code: "parameter_missing", param: "amount" });
  });
});

test("a body may arrive in chunks, cut through a character", async () => {
  const bytes = Buffer.from(JSON.stringify(bodyWith({ description: "ü" })));
  const cut = bytes.indexOf(0xc3) + 1;
  const chunks = [bytes.subarray(0, cut), bytes.subarray(cut)].map(
    (part) => `${part.length.toString(16)}\r\n${part.toString("latin1")}\r\n`,
  );
  const body = Buffer.from(`${chunks.join("")}0\r\n\r\n`, "latin1");
  const headers = ["Transfer-Encoding: chunked", "Content-Type: application/json"];
  const answer = await rawAnswer(url, lines("/v1/payments", ...headers), body);
  expect(JSON.parse(answer.text)).toMatchObject({ description: "ü" });
});

describe("a body over 64 KiB", () => {
  const json = "Content-Type: application/json";

  test("is read up to that size", async () => {
    expect((await call({ method: "POST", body: padded(limitBytes) })).status).toBe(201);
  });

  test.each([
    ["by its Content-Length, though not sent yet", [json, "Content-Length: 65537"], "{"],
    ["by its Content-Length", [json, "Content-Length: 65537"], padded(limitBytes + 1)],
    ["in chunks", [json, "Transfer-Encoding: chunked"], chunked(padded(limitBytes + 1))],
    [
      "in chunks without an end",
      [json, "Transfer-Encoding: chunked"],
      chunked(padded(limitBytes + 1)).slice(0, -5),
    ],
  ])("is refused %s", async (_, headers, body) => {
    const answer = await rawAnswer(url, lines("/v1/payments", ...headers), body);
    expect(refusalOf(answer)).toEqual({ status: 413, code: "request_too_large", param: null });
    expect(answer.headers["connection"]).toBe("close");
  });
});
