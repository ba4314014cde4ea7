import { afterAll, expect, test } from "vitest";
import type { RequestList } from "../../../src/contract/logged-request.ts";
import { bodyWith, cardWith } from "../../testkit/api-objects.ts";
import { type Call, openApp, refusalOf } from "../../testkit/app/open-app.ts";

const { call, keys, logged, close, service } = await openApp();
afterAll(close);

const number = "4242424242424242";
const key = keys.live;
const secret = key.slice("svc_live_sk_".length);
const at = (path: string, method = "GET"): Call => ({ method, path });
const post = (body: object | string, rest: Call = {}): Call => ({ method: "POST", body, ...rest });

/** Invalid requests with a card number, a security code or a key in a wrong place. */
const misplaced: [string, Call][] = [
  ["a card number as a field's name", post(bodyWith({ [number]: 1 }))],
  ["a card number in a name of 90 more", post(bodyWith({ [`${"x".repeat(90)}${number}`]: 1 }))],
  ["a card number as a name in the card", post(bodyWith({ card: cardWith({ [number]: 1 }) }))],
  ["a security code as a name", post(bodyWith({ "9876": 1 }))],
  ["a security code as a name in the card", post(bodyWith({ card: cardWith({ "9876": 1 }) }))],
  ["a card number as a metadata key", post(bodyWith({ metadata: { [number]: 1 } }))],
  [
    "a card number in a long metadata key",
    post(bodyWith({ metadata: { [`${"x".repeat(20)}${number}`]: 1 } })),
  ],
  ["a card number as the currency", post(bodyWith({ currency: number }))],
  [
    "a card number over two names",
    post(bodyWith({ customer: { first_name: "4242 4242", last_name: "4242 4242" } })),
  ],
  ["a card number as a description", post(bodyWith({ description: number }))],
  ["a card number as the country", post(bodyWith({ customer: { country: number } }))],
  ["a card number that is not valid", post(bodyWith({ card: cardWith({ number: `${number}0` }) }))],
  ["a card number as the security code", post(bodyWith({ card: cardWith({ cvc: number }) }))],
  ["a security code that is too long", post(bodyWith({ card: cardWith({ cvc: "98769" }) }))],
  ["a card number that is no JSON", post(`{"card":${number},}`)],
  ["a card number as the whole body", post(number)],
  ["a card number of another type", post(`number=${number}&cvc=9876`, { type: "text/plain" })],
  ["a key as a field's name", post(bodyWith({ [key]: 1 }))],
  ["a key as a metadata key", post(bodyWith({ metadata: { [key.slice(0, 40)]: 1 } }))],
  ["a card number as an id", at(`/v1/payments/${number}`)],
  ["a key as an id", at(`/v1/payments/${key}`)],
  ["a card number in an unknown path", at(`/v1/cards/${number}`)],
  ["a card number in an unknown path outside the API", at(`/cards/${number}?cvc=9876`)],
  ["a key in a path with a wrong method", at(`/v1/payments/${key}`, "DELETE")],
  ["a card number in a path that cannot be read", at(`/v1/payments/${number}%zz`)],
  ["a card number as a parameter's name", at(`/v1/payments?${number}=1`)],
  ["a security code as a parameter's name", at("/v1/payments?9876=1")],
  ["a card number as a repeated parameter", at(`/v1/payments?${number}=1&${number}=2`)],
  ["a card number in groups as a parameter's name", at("/v1/payments?4242,4242,4242,4242=1")],
  [
    "a card number in groups as a metadata filter",
    at("/v1/payments?metadata%5B4242%E2%80%934242%E2%80%934242%E2%80%934242%5D=x"),
  ],
  [
    "a card number beside letters as a field's name",
    post(bodyWith({ "4242a 4242b 4242c 4242": 1 })),
  ],
  ["a key as a parameter", at(`/v1/payments?${key}=1`)],
  ["a card number as a cursor", at(`/v1/payments?starting_after=${number}`)],
  ["a card number as the limit", at(`/v1/payments?limit=${number}`)],
  ["a card number in several parts of a path", at("/v1/cards/4242/4242/4242/4242")],
  ["a card number that is encoded twice", at(`/v1/payments/${"%2534%2532".repeat(8)}`)],
  ["a card number as the version", { headers: { "service-version": number } }],
  ["a key as the version", { headers: { "service-version": key } }],
  [
    "a key with a space as the idempotency key",
    post({}, { headers: { "idempotency-key": `${key} ` + number } }),
  ],
  ["a card number as the key", { key: null, headers: { authorization: `Bearer ${number}` } }],
  ["a key with another scheme", { key: null, headers: { authorization: `Token ${key}` } }],
  ["a card number as the media type", post("{}", { type: `text/${number}` })],
];

test.each(misplaced)("a response repeats no secret that was sent as %s", async (_, request) => {
  const answer = await call(request);
  expect(refusalOf(answer).status).toBeGreaterThanOrEqual(400);
  const said = answer.text.replace(/"request_id":"[^"]*"/, "") + headersOf(answer);
  expect(said).not.toMatch(/4242|9876/);
  expect(said).not.toContain(secret.slice(0, 8));
});

test("the log contains none of these secrets", () => {
  expect(logged.length).toBeGreaterThan(misplaced.length / 2);
  const lines = JSON.stringify(logged).replaceAll(/(req|key)_[0-9a-f-]{36}/g, "");
  expect(lines).not.toMatch(/42424242|9876/);
  expect(lines).not.toContain(secret.slice(0, 8));
  expect(lines).not.toContain(keys.test.slice(12, 20));
});

test("the log of requests contains none of these secrets either", async () => {
  await service.flushRequests();
  const { text } = await call({ path: "/v1/requests?limit=100" });
  const { data } = JSON.parse(text) as RequestList;
  expect(data.length).toBeGreaterThan(misplaced.length / 2);
  const kept = text.replaceAll(/(req|key)_[0-9a-f-]{36}/g, "");
  expect(kept).not.toMatch(/4242|9876/);
  expect(kept).not.toContain(secret.slice(0, 8));
  expect(data.filter(({ path }) => path.includes("?"))).toEqual([]);
});

test("the response to a payment contains only the last four digits of its card", async () => {
  const card = cardWith({ number: "5555555555554444", cvc: "9876" });
  const answer = await call({ method: "POST", body: bodyWith({ card }) });
  expect(answer.status).toBe(201);
  expect(answer.text).toContain('"last4":"4444"');
  expect(answer.text.replace(/"pay_[0-9a-f-]{36}"/, "")).not.toMatch(/5555|9876|cvc|number/);
});

/** The headers without those that differ in every response. */
function headersOf({ headers }: { headers: Record<string, string> }): string {
  const { "service-request-id": _, date: __, ...rest } = headers;
  return JSON.stringify(rest);
}
