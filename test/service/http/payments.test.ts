import { afterAll, describe, expect, test, beforeAll } from "vitest";
import { payment, type Payment } from "../../../src/contract/payment.ts";
import { bodyWith, cardWith } from "../../testkit/api-objects.ts";
import { type Call, errorIn, openApp, publicUrl, refusalOf } from "../../testkit/app/open-app.ts";
import { paymentList, type PaymentList } from "../../../src/contract/list-payments.ts";

const { call, close } = await openApp();
afterAll(close);

async function create(fields: object = {}, key: "test" | "live" = "test"): Promise<Payment> {
  const answer = await call({ method: "POST", key, body: bodyWith(fields) });
  expect(answer.status).toBe(201);
  return payment.strict().parse(JSON.parse(answer.text));
}

test("a created payment contains the fields of the request, the masked card, and its success", async () => {
  const created = await create({
    description: "Zwei Bücher 📚",
    customer: { email: "ada@example.com", first_name: "Ada", last_name: "Lovelace" },
    metadata: { order_id: "7", "": undefined, ünicode: "💳" },
  });
  expect(created).toEqual({
    id: expect.stringMatching(/^pay_[a-zA-Z0-9-]+$/),
    object: "payment",
    amount: 4999,
    currency: "eur",
    status: "succeeded",
    description: "Zwei Bücher 📚",
    card: { brand: "visa", last4: "4242", exp_month: 12, exp_year: 2030, country: "US" },
    customer: { email: "ada@example.com", name: "Ada Lovelace" },
    metadata: { order_id: "7", ünicode: "💳" },
    decline_code: null,
    decline_message: null,
    redirect_url: null,
    refunded_at: null,
    succeeded_at: created.created,
    failed_at: null,
    created: expect.any(Number),
    livemode: false,
  });
  expect(Math.abs(created.created - Date.now() / 1000)).toBeLessThan(60);
});

test("an id that is no payment of this mode gets the same error each time, except for the request id", async () => {
  const live = await create({}, "live");
  const ids = [
    live.id,
    "pay_01890000-0000-7000-8000-000000000000",
    "pay_",
    "pay_x_y",
    "payment",
    "",
    "%20",
    "a%2Fb",
    "4242424242424242",
    "__proto__",
    "..%2f..",
    `pay_${"9".repeat(15_000)}`,
  ];
  const texts = await Promise.all(
    ids.flatMap(async (id) => {
      const answer = await call({ path: `/v1/payments/${id}` });
      expect(refusalOf(answer)).toEqual({ status: 404, code: "resource_missing", param: "id" });
      const refund = await call({ method: "POST", path: `/v1/payments/${id}/refund` });
      expect(refusalOf(refund)).toEqual({ status: 404, code: "resource_missing", param: "id" });
      return [answer, refund].map(withoutRequestId);
    }),
  );
  expect(new Set(texts.flat()).size).toBe(1);
});

function withoutRequestId(answer: { text: string; headers: Record<string, string> }): string {
  return answer.text.replace(answer.headers["service-request-id"] ?? "", "…");
}

const path = "/v1/payments/hpp";
const hostedBodyWith = (fields: object = {}) => ({ amount: 4999, currency: "eur", ...fields });
const postHosted = (fields: object = {}, rest: Call = {}): Call => ({
  method: "POST",
  path,
  body: hostedBodyWith(fields),
  ...rest,
});

describe("POST /v1/payments/hpp", () => {
  test("does not use the request's Host header in the page's address", async () => {
    const answer = await call(postHosted({}, { headers: { host: "evil.example" } }));
    const { redirect_url } = JSON.parse(answer.text) as Payment;
    expect(redirect_url?.startsWith(`${publicUrl}/pay/`)).toBe(true);
  });

  test.each([
    [{ amount: undefined }, "parameter_missing", "amount"],
    [{ card: { number: "4242424242424242" } }, "parameter_unknown", "card"],
    [{ return_url: "javascript:alert(1)" }, "parameter_invalid", "return_url"],
    // The host has the number in its normal form alone: xn--4242424242424242-…
    [
      { return_url: "https://4242\u{1f600}4242\u{1f600}4242\u{1f600}4242.example" },
      "parameter_invalid",
      "return_url",
    ],
    [{ customer: { email: "ada" } }, "parameter_invalid", "customer[email]"],
  ])("with %j is refused", async (fields, code, param) => {
    expect(refusalOf(await call(postHosted(fields)))).toEqual({ status: 400, code, param });
  });
});

const listed = await openApp();
afterAll(listed.close);

async function list(query = ""): Promise<PaymentList> {
  const answer = await listed.call({ path: `/v1/payments${query && `?${query}`}` });
  expect(answer.status).toBe(200);
  return paymentList.strict().parse(JSON.parse(answer.text));
}

/** Seven payments of the amounts 1 to 7; the third and the sixth fail. */
beforeAll(async () => {
  for (let amount = 1; amount <= 7; amount++) {
    const card = cardWith({ number: amount % 3 === 0 ? "4000000000000002" : "4242424242424242" });
    await listed.call({ method: "POST", body: bodyWith({ amount, card }) });
  }
  await listed.service.settlePayments();
});

const amountsOf = ({ data }: PaymentList) => data.map(({ amount }) => amount);

test("a list has its object type, its path, its payments newest first, and has_more", async () => {
  const whole = await list();
  expect(whole).toMatchObject({ object: "list", url: "/v1/payments", has_more: false });
  expect(amountsOf(whole)).toEqual([7, 6, 5, 4, 3, 2, 1]);
  for (const one of whole.data) {
    const { text } = await listed.call({ path: `/v1/payments/${one.id}` });
    expect(JSON.parse(text)).toEqual(one);
  }
  expect(JSON.parse((await listed.call({ key: "live" })).text)).toEqual({ ...whole, data: [] });
});

test("a list is filtered by status and time of creation, together with a cursor", async () => {
  const { data } = await list();
  const [newest = 0, oldest = 0] = [data[0]?.created, data.at(-1)?.created];
  expect(amountsOf(await list("status=failed"))).toEqual([6, 3]);
  expect(amountsOf(await list(`created%5Bgte%5D=${newest + 1}`))).toEqual([]);
  expect(amountsOf(await list(`created[lt]=${oldest}`))).toEqual([]);
  expect(amountsOf(await list("created[gte]=0&created[lt]=9007199254740991"))).toHaveLength(7);
  const query = `status=succeeded&created[gte]=${oldest}&starting_after=${data[1]?.id}&limit=1`;
  const page = await list(query);
  expect([amountsOf(page), page.has_more]).toEqual([[5], true]);
});

describe("an invalid parameter is named in the error", () => {
  test.each([
    ["limit", "limit=101"],
    ["limit", "limit"],
    ["limit", "limit=01"],
    ["created[gte]", "created[gte]=00"],
    ["created[lt]", "created[lt]=01"],
    ["limit", "limit=%zz"],
    ["status", "status=succeeded,fail"],
    ["created[gte]", "created[gte]=-1"],
    ["created[lt]", "created%5Blt%5D=9007199254740992"],
    ["starting_after", "starting_after="],
    ["starting_after", "starting_after=payment"],
    ["starting_after", "starting_after=pay_01890000-0000-7000-8000-000000000000"],
    ["ending_before", "ending_before=pay_%27;--"],
    ["ending_before", "starting_after=pay_a&ending_before=pay_b"],
  ])("%s in %s", async (param, query) => {
    const answer = await listed.call({ path: `/v1/payments?${query}` });
    expect(refusalOf(answer)).toEqual({ status: 400, code: "parameter_invalid", param });
    expect(errorIn(answer).message).toContain(`${param} must `);
  });

  test.each([
    ["payments", "limt=1", "parameter_unknown", "limt"],
    ["payments", "Limit=1", "parameter_unknown", "Limit"],
    ["payments", "created[gt]=1", "parameter_unknown", "created[gt]"],
    ["events", "limit=0", "parameter_invalid", "limit"],
    ["events", "type=payment.lost", "parameter_invalid", "type"],
    ["events", "payment=evt_1", "parameter_invalid", "payment"],
    ["events", "starting_after=pay_1", "parameter_invalid", "starting_after"],
    ["events", "ending_before=evt_none", "parameter_invalid", "ending_before"],
    ["events", "created[gte]=x", "parameter_invalid", "created[gte]"],
    ["events", "status=failed", "parameter_unknown", "status"],
  ])("of %s: %s", async (of, query, code, param) => {
    const answer = await listed.call({ path: `/v1/${of}?${query}` });
    expect(refusalOf(answer)).toEqual({ status: 400, code, param });
  });
});

test.each([
  ["payments", "created[gt]=1", "created[gte] or created[lt]"],
  ["events", "created=5", "created[gte] or created[lt]"],
  ["requests", "created[lte]=5", "created[gte] or created[lt]"],
  ["payments", "metadata=5", "metadata[KEY]=VALUE"],
  ["payments", "metadata[]=5", "metadata[KEY]=VALUE"],
  ["payments", "card[last_4]=4242", "card[last4]"],
  ["payments", "card=4242", "card[last4] or card[brand]"],
])("of %s: %s is told what there is", async (of, query, there) => {
  const answer = await listed.call({ path: `/v1/${of}?${query}` });
  expect(refusalOf(answer)).toMatchObject({ status: 400, code: "parameter_unknown" });
  expect(errorIn(answer).message).toContain(`You may mean ${there}.`);
});

test("no parameter is suggested where none is like it, or for a field of a body", async () => {
  const events = await listed.call({ path: "/v1/events?metadata=1" });
  expect(errorIn(events).message).toContain("Check the spelling");
  const body = { ...bodyWith({}), created: 1 };
  const created = await listed.call({ method: "POST", path: "/v1/payments", body });
  expect(errorIn(created).message).toContain("Check the spelling");
});

test("a query is checked before the body", async () => {
  const answer = await listed.call({ method: "POST", path: "/v1/payments?a=1", body: {} });
  expect(refusalOf(answer).param).toBe("a");
});
