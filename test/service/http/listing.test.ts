import { afterAll, describe, expect, test } from "vitest";
import { paymentList, type PaymentList } from "../../../src/contract/list-object.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import { bodyWith, cardWith } from "../../testkit/create-payment-body.ts";
import { openApp, openAppForTest } from "../../testkit/app/open-app.ts";

const opened = await openApp();
afterAll(opened.close);

/** Seven payments, newest first: every third one fails, the first one made is refunded. */
const all = await make();
const ids = all.map(({ id }) => id);

async function make(): Promise<Payment[]> {
  for (let index = 0; index < 7; index++) {
    const number = index % 3 === 2 ? "4000000000000002" : "4242424242424242";
    await opened.call({
      method: "POST",
      body: bodyWith({ amount: index + 1, card: cardWith({ number }) }),
    });
  }
  await opened.service.settlePayments();
  const { data } = await list("limit=7");
  await opened.call({ method: "POST", path: `/v1/payments/${data.at(-1)?.id}/refund` });
  return (await list("limit=7")).data;
}

async function list(query = "", key: "test" | "live" = "test"): Promise<PaymentList> {
  const answer = await opened.call({ path: `/v1/payments${query && `?${query}`}`, key });
  expect(answer.status).toBe(200);
  return paymentList.strict().parse(JSON.parse(answer.text));
}

async function idsOf(query: string): Promise<string[]> {
  return (await list(query)).data.map(({ id }) => id);
}

test("a list has its kind, its path, its payments newest first, and whether there are more", async () => {
  expect(await list()).toEqual({
    object: "list",
    url: "/v1/payments",
    data: all,
    has_more: false,
  });
  expect(all.map(({ amount }) => amount)).toEqual([7, 6, 5, 4, 3, 2, 1]);
});

test("the payments of a list are those that are retrieved", async () => {
  for (const payment of all) {
    const { text } = await opened.call({ path: `/v1/payments/${payment.id}` });
    expect(JSON.parse(text)).toEqual(payment);
  }
});

test("an empty list is a list", async () => {
  expect(await list("", "live")).toEqual({
    object: "list",
    url: "/v1/payments",
    data: [],
    has_more: false,
  });
});

test("a page has ten payments where nothing else is asked, and a hundred at most", async () => {
  const { call } = await openAppForTest();
  for (let index = 0; index < 101; index++) await call({ method: "POST", body: bodyWith({}) });
  for (const [path, size] of [
    ["/v1/payments", 10],
    ["/v1/payments?limit=100", 100],
  ] as const) {
    const page = paymentList.parse(JSON.parse((await call({ path })).text));
    expect(page.data).toHaveLength(size);
    expect(page.has_more).toBe(true);
  }
});

describe("page by page", () => {
  test("with starting_after, each payment comes once, and has_more ends it", async () => {
    const seen: string[] = [];
    let page = await list("limit=3");
    const more = [page.has_more];
    seen.push(...page.data.map(({ id }) => id));
    while (page.has_more) {
      page = await list(`limit=3&starting_after=${seen.at(-1)}`);
      more.push(page.has_more);
      seen.push(...page.data.map(({ id }) => id));
    }
    expect(seen).toEqual(ids);
    expect(more).toEqual([true, true, false]);
  });

  test("with ending_before, the way back is the same, still newest first", async () => {
    const last = await list(`limit=3&ending_before=${ids[6]}`);
    expect(last.data.map(({ id }) => id)).toEqual(ids.slice(3, 6));
    expect(last.has_more).toBe(true);
    const first = await list(`limit=3&ending_before=${ids[3]}`);
    expect(first.data.map(({ id }) => id)).toEqual(ids.slice(0, 3));
    expect(first.has_more).toBe(false);
  });

  test("with a page that ends exactly at the last payment, there are no more", async () => {
    expect(await list("limit=7")).toMatchObject({ has_more: false });
    expect(await list("limit=6")).toMatchObject({ has_more: true });
    expect(await list(`limit=3&starting_after=${ids[3]}`)).toMatchObject({ has_more: false });
  });

  test("beyond either end there is nothing", async () => {
    expect(await list(`starting_after=${ids[6]}`)).toMatchObject({ data: [], has_more: false });
    expect(await list(`ending_before=${ids[0]}`)).toMatchObject({ data: [], has_more: false });
  });
});

describe("filtered", () => {
  test.each([
    ["succeeded", [7, 5, 4, 2]],
    ["failed", [6, 3]],
    ["refunded", [1]],
    ["pending", []],
  ])("by the status %s", async (status, amounts) => {
    const { data } = await list(`status=${status}`);
    expect(data.map(({ amount }) => amount)).toEqual(amounts);
  });

  test("before it is cut into pages", async () => {
    const page = await list("status=succeeded&limit=2");
    expect(page.data.map(({ amount }) => amount)).toEqual([7, 5]);
    expect(page.has_more).toBe(true);
    const rest = await list(`status=succeeded&limit=2&starting_after=${page.data[1]?.id}`);
    expect(rest.data.map(({ amount }) => amount)).toEqual([4, 2]);
    expect(rest.has_more).toBe(false);
  });

  test("after a cursor that does not match the filter itself", async () => {
    const { data } = await list(`status=failed&starting_after=${ids[0]}`);
    expect(data.map(({ amount }) => amount)).toEqual([6, 3]);
  });

  test("by the time of creation, from the first second on and before the last", async () => {
    const [newest = 0, oldest = 0] = [all[0]?.created, all.at(-1)?.created];
    expect(await idsOf(`created[gte]=${oldest}&created[lt]=${newest + 1}`)).toEqual(ids);
    expect(await idsOf(`created%5Bgte%5D=${newest + 1}`)).toEqual([]);
    expect(await idsOf(`created[lt]=${oldest}`)).toEqual([]);
    expect(await idsOf(`created[lt]=${newest + 1}&created[gte]=${newest + 1}`)).toEqual([]);
    expect(await idsOf(`created[gte]=${newest + 9}&created[lt]=${oldest}`)).toEqual([]);
    expect(await idsOf("created[gte]=0&created[lt]=9007199254740991")).toEqual(ids);
  });

  test("by all at once, within a cursor", async () => {
    const from = all.at(-1)?.created;
    const query = `status=succeeded&created[gte]=${from}&starting_after=${ids[1]}&limit=1`;
    const page = await list(query);
    expect(page.data.map(({ amount }) => amount)).toEqual([5]);
    expect(page.has_more).toBe(true);
  });
});

test("payments of one mode never show in lists of the other", async () => {
  const { call } = await openAppForTest();
  await call({ method: "POST", key: "live", body: bodyWith({}) });
  const inTest = paymentList.parse(JSON.parse((await call({ key: "test" })).text));
  const inLive = paymentList.parse(JSON.parse((await call({ key: "live" })).text));
  expect(inTest.data).toEqual([]);
  expect(inLive.data.map(({ livemode }) => livemode)).toEqual([true]);
});
