import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { paymentList, type PaymentList } from "../../../src/contract/list-object.ts";
import { openApp } from "../../testkit/app/open-app.ts";
import { refusalOf, errorIn } from "../../testkit/app/refusal-of.ts";
import { bodyWith, cardWith } from "../../testkit/create-payment-body.ts";

const { call, service, close } = await openApp();
afterAll(close);

async function list(query = ""): Promise<PaymentList> {
  const answer = await call({ path: `/v1/payments${query && `?${query}`}` });
  expect(answer.status).toBe(200);
  return paymentList.strict().parse(JSON.parse(answer.text));
}

/** Seven payments of the amounts 1 to 7; the third and the sixth fail. */
beforeAll(async () => {
  for (let amount = 1; amount <= 7; amount++) {
    const card = cardWith({ number: amount % 3 === 0 ? "4000000000000002" : "4242424242424242" });
    await call({ method: "POST", body: bodyWith({ amount, card }) });
  }
  await service.settlePayments();
});

const amountsOf = ({ data }: PaymentList) => data.map(({ amount }) => amount);

test("a list has its object type, its path, its payments newest first, and has_more", async () => {
  const whole = await list();
  expect(whole).toMatchObject({ object: "list", url: "/v1/payments", has_more: false });
  expect(amountsOf(whole)).toEqual([7, 6, 5, 4, 3, 2, 1]);
  for (const payment of whole.data) {
    const { text } = await call({ path: `/v1/payments/${payment.id}` });
    expect(JSON.parse(text)).toEqual(payment);
  }
  expect(JSON.parse((await call({ key: "live" })).text)).toEqual({ ...whole, data: [] });
});

test("cursors page in both directions", async () => {
  const [first, third] = [await list("limit=3"), await list("limit=6")];
  expect([first.has_more, third.has_more]).toEqual([true, true]);
  const second = await list(`limit=3&starting_after=${first.data.at(-1)?.id}`);
  expect([amountsOf(second), second.has_more]).toEqual([[4, 3, 2], true]);
  const back = await list(`limit=3&ending_before=${second.data[0]?.id}`);
  expect([amountsOf(back), back.has_more]).toEqual([[7, 6, 5], false]);
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
    ["limit", "limit=%zz"],
    ["status", "status=succeeded,failed"],
    ["created[gte]", "created[gte]=-1"],
    ["created[lt]", "created%5Blt%5D=9007199254740992"],
    ["starting_after", "starting_after="],
    ["starting_after", "starting_after=payment"],
    ["starting_after", "starting_after=pay_01890000-0000-7000-8000-000000000000"],
    ["ending_before", "ending_before=pay_%27;--"],
    ["ending_before", "starting_after=pay_a&ending_before=pay_b"],
  ])("%s in %s", async (param, query) => {
    const answer = await call({ path: `/v1/payments?${query}` });
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
    const answer = await call({ path: `/v1/${of}?${query}` });
    expect(refusalOf(answer)).toEqual({ status: 400, code, param });
  });
});

test("a query is checked before the body", async () => {
  const answer = await call({ method: "POST", path: "/v1/payments?a=1", body: {} });
  expect(refusalOf(answer).param).toBe("a");
});
