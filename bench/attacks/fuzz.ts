import { connect } from "node:net";
import * as fc from "fast-check";
import { Pool } from "undici";
import { createBody } from "../figure.ts";
import { startAttacked, type Attacked, type Observation } from "./attacked.ts";

const requests = 200_000;
const rawRequests = 5_000;
const sampled = 10_000;
const atOnce = 32;
const seed = 20_261_122;
const listenerBody = '{"url":null}';
/** The growth of a service over the second half of the requests, when its caches are full. */
const maxGrowthMiB = 64;

type Sent = { method: string; path: string; headers: Record<string, string>; body: string | null };

/** Requests of every kind to every endpoint and page, well formed and not. */
export async function attackWithAnything(): Promise<Observation[]> {
  const attacked = await startAttacked();
  const made = async (path: string, body: string) =>
    JSON.parse((await attacked.serve(path, body)).text) as { id: string; redirect_url: string };
  const listener = await made("/v1/webhook_endpoints", listenerBody);
  const payment = await made("/v1/payments", createBody);
  const hosted = await made("/v1/payments/hpp", '{"amount":4999,"currency":"eur"}');
  const anything = generateRequest(attacked, payment.id, [
    ...listPaymentPaths(payment.id, new URL(hosted.redirect_url).pathname),
    ...listListenerPaths(listener.id),
  ]);

  const pool = new Pool(attacked.url, { connections: atOnce });
  const statuses: Record<number, number> = {};
  let halfMiB = 0;
  for (let done = 0; done < requests; done += sampled) {
    if (done === requests / 2) halfMiB = attacked.memoryMiB();
    const sample = fc.sample(anything, { numRuns: sampled, seed: seed + done });
    const send = async (): Promise<void> => {
      for (let next = sample.pop(); next; next = sample.pop()) {
        const status = await sendOne(pool, next);
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, send));
  }
  await sendRaw(attacked, rawRequests);
  await pool.close();
  await attacked.serve("/v1/payments"); // it still serves
  const growth = attacked.memoryMiB() - halfMiB;
  await attacked.end();
  console.log("responses by status:", statuses);
  const broken = Object.entries(statuses).filter(([status]) => status === "0" || status >= "500");
  return [
    { what: "requests", seen: requests + rawRequests },
    {
      what: "responses of 5xx, or none",
      seen: broken.reduce((sum, [, count]) => sum + count, 0),
      max: 0,
    },
    { what: "growth over the second half, MiB", seen: growth, max: maxGrowthMiB },
  ];
}

async function sendOne(pool: Pool, { method, path, headers, body }: Sent): Promise<number> {
  try {
    const answer = await pool.request({ method, path, headers, body });
    await answer.body.dump();
    return answer.statusCode;
  } catch {
    return 0;
  }
}

/** Bytes that are not valid HTTP, each on a connection of its own. */
async function sendRaw({ url }: Attacked, count: number): Promise<void> {
  const { port } = new URL(url);
  const head = "POST /v1/payments HTTP/1.1\r\nHost: x\r\n";
  const bytes = fc.sample(
    fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array)),
      fc.string({ unit: "binary", maxLength: 200 }).map((text) => Buffer.from(head + text)),
      fc
        .constantFrom(
          `${head}Content-Length: -1\r\n\r\n`,
          `${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
          `${head}Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n`,
          `GET http://x:y/ HTTP/1.1\r\n\r\n`,
          `CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`,
          `GET / HTTP/9.9\r\n\r\n`,
          `GET /${"x".repeat(20_000)} HTTP/1.1\r\n`,
          `${head}Expect: 100-continue\r\n\r\n`,
          `${head}Upgrade: h2c\r\nConnection: Upgrade\r\n\r\n`,
        )
        .map((text) => Buffer.from(text)),
    ),
    { numRuns: count, seed },
  );
  for (let at = 0; at < bytes.length; at += atOnce) {
    await Promise.all(
      bytes.slice(at, at + atOnce).map(
        async (each) =>
          new Promise<void>((resolve) => {
            const socket = connect(Number(port), "127.0.0.1");
            socket.on("error", () => {}).on("close", () => resolve());
            socket.resume().end(each);
          }),
      ),
    );
  }
}

function listPaymentPaths(id: string, page: string): string[] {
  const event = `/v1/events/${id.replace("pay_", "evt_")}`;
  return [
    `/v1/payments/${id}`,
    `/v1/payments/${id}/refund`,
    event,
    `${event}/resend`,
    page,
    `${page}/cancel`,
    `${page}/return`,
  ];
}

/** Without the listener's own path: a DELETE there would end the others. */
function listListenerPaths(id: string): string[] {
  const actions = ["roll", "deliveries", "start", "take", "report"];
  return actions.map((action) => `/v1/webhook_endpoints/${id}/${action}`);
}

function generateRequest(
  { authorization }: Attacked,
  id: string,
  known: string[],
): fc.Arbitrary<Sent> {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 50 }),
    fc.constantFrom("", "\0", "\uD800", "__proto__", "constructor", "4242424242424242", "💳"),
    fc.nat({ max: 3 }).map((power) => "x".repeat(10 ** power)),
  );
  const segment = text.map((each) => encodeURIComponent(each.toWellFormed()));
  return fc
    .tuple(
      weigh(5, fc.constant("POST"), weigh(3, fc.constant("GET"), otherMethods)),
      fc.tuple(generatePath(segment, known), query(segment, id)).map((parts) => parts.join("")),
      generateHeaders(authorization),
      generateBody(text),
    )
    .map(([method, path, headers, sentBody]) => {
      const hasNone = method === "GET" || method === "HEAD";
      return { method, path, headers, body: hasNone ? null : sentBody };
    });
}

const otherMethods = fc.constantFrom("PUT", "DELETE", "PATCH", "OPTIONS", "HEAD");

/** `common` with a weight of `times`, against 1 of `other`. */
function weigh<T, O>(times: number, common: fc.Arbitrary<T>, other: fc.Arbitrary<O>) {
  return fc.oneof({ weight: times, arbitrary: common }, { weight: 1, arbitrary: other });
}

function generatePath(segment: fc.Arbitrary<string>, known: string[]): fc.Arbitrary<string> {
  const rest = fc.oneof(
    fc.constantFrom("/openapi.json", "/docs/errors", "/healthz", "/readyz", "/metrics"),
    segment.map((each) => `/v1/payments/${each}`),
    segment.map((each) => `/v1/events/${each}`),
    segment.map((each) => `/v1/webhook_endpoints/${each}`),
    segment.map((each) => `/pay/${each}`),
    segment.map((each) => `/${each}`),
  );
  const all = fc.constantFrom(
    "/v1/payments",
    "/v1/payments/hpp",
    "/v1/events",
    "/v1/webhook_endpoints",
  );
  return fc.oneof({ weight: 2, arbitrary: all }, fc.constantFrom(...known), rest);
}

function query(segment: fc.Arbitrary<string>, id: string): fc.Arbitrary<string> {
  const known = [
    "limit",
    "starting_after",
    "ending_before",
    "status",
    "created[gte]",
    "created[lt]",
    "type",
    "payment",
  ];
  const name = fc.oneof(fc.constantFrom(...known), segment);
  const value = fc.oneof(segment, fc.constantFrom("1", "100", "0", "-1", "9".repeat(30), id));
  const pairs = fc.array(fc.tuple(name, value), { maxLength: 4 });
  return weigh(
    5,
    fc.constant(""),
    pairs.map((each) => `?${each.map((pair) => pair.join("=")).join("&")}`),
  );
}

function generateHeaders(authorization: string): fc.Arbitrary<Record<string, string>> {
  const visible = fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 300 });
  const mutate = (value: string | undefined) => weigh(15, fc.constant(value), visible);
  return fc
    .record({
      authorization: mutate(authorization),
      "content-type": weigh(
        15,
        mutate("application/json"),
        fc.constant("application/x-www-form-urlencoded"),
      ),
      "idempotency-key": weigh(3, mutate(undefined), fc.constantFrom("a", "b")),
      "service-version": mutate(undefined),
      "accept-language": mutate(undefined),
      origin: mutate(undefined),
    })
    .map((headers) =>
      Object.fromEntries(
        // A client would send no header whose value begins or ends with a space.
        Object.entries(headers).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, value.trim() || "x"]],
        ),
      ),
    );
}

function generateBody(text: fc.Arbitrary<string>): fc.Arbitrary<string | null> {
  const hostile = fc.oneof(
    text,
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom(null, true, -1, 0, 1.5, 1e308, 2 ** 53, [], {}, [[]], { a: {} }),
  );
  const good = JSON.parse(createBody) as Record<string, unknown>;
  const card = good["card"] as object;
  const ofPayments = ["amount", "currency", "card", "customer", "metadata", "description"];
  const ofEndpoints = ["url", "events", "status", "endpoint", "since", "limit", "delivery"];
  const names = [...ofPayments, "return_url", "expires_in", ...ofEndpoints];
  const invalid = fc
    .tuple(fc.constantFrom(...names, "extra"), hostile)
    .map(([name, value]) => JSON.stringify({ ...good, [name]: value }));
  const invalidCard = fc
    .tuple(fc.constantFrom("number", "exp_month", "exp_year", "cvc", "holder_name"), hostile)
    .map(([name, value]) => JSON.stringify({ ...good, card: { ...card, [name]: value } }));
  return fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        createBody,
        '{"amount":4999,"currency":"eur"}',
        listenerBody,
        "{}",
      ),
    },
    fc.constantFrom(null, "", "[", '{"a":'),
    invalid,
    invalidCard,
    hostile.map((value) => JSON.stringify(value) ?? ""),
    fc.constantFrom("number=4242424242424242&expiry=12/30&cvc=123&name=A", "number=1&number=2"),
    text,
  );
}
