import { describe, expect, test } from "vitest";
import type { PaymentList } from "../../../src/contract/list-payments.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import { openAppWithCustomer, visa } from "../../testkit/app/customer.ts";
import { bodyWith, cardWith } from "../../testkit/api-objects.ts";

type Opened = Awaited<ReturnType<typeof openAppWithCustomer>>;

async function list({ call }: Opened, parameters: Record<string, string>): Promise<PaymentList> {
  const query = String(new URLSearchParams(parameters));
  const { status, text } = await call({ path: `/v1/payments?${query}` });
  expect([query, status]).toEqual([query, 200]);
  return JSON.parse(text) as PaymentList;
}

async function find(opened: Opened, parameters: Record<string, string>): Promise<string[]> {
  return (await list(opened, parameters)).data.map(({ id }) => id);
}

async function create({ call }: Opened, fields: object = {}): Promise<Payment> {
  const { text } = await call({ method: "POST", body: bodyWith(fields) });
  return JSON.parse(text) as Payment;
}

describe("a payment on a hosted page", () => {
  test("has no card before it is paid, and then is found by its card and its holder's name", async () => {
    const opened = await openAppWithCustomer();
    const { created, path } = await opened.create();
    const { id } = created;
    const byCard = [
      { "card[last4]": "4242" },
      { "card[brand]": "visa" },
      { search: "visa 4242" },
      { search: "ada" },
      { status: "succeeded", search: "eur" },
    ];
    for (const parameters of byCard) expect(await find(opened, parameters)).toEqual([]);
    expect(await find(opened, { status: "pending", search: "49.99" })).toEqual([id]);
    await opened.submit(path, visa);
    for (const parameters of byCard) {
      expect([parameters, await find(opened, parameters)]).toEqual([parameters, [id]]);
    }
    expect(await find(opened, { status: "pending", search: "49.99" })).toEqual([]);
  });

  test("keeps its customer's name, and is not found by the card holder's", async () => {
    const opened = await openAppWithCustomer();
    const customer = { first_name: "Grace", last_name: "Hopper" };
    const { created, path } = await opened.create({ customer });
    await opened.submit(path, visa);
    expect(await find(opened, { search: "grace hopper 4242" })).toEqual([created.id]);
    expect(await find(opened, { search: "ada" })).toEqual([]);
  });

  test("is found by its decline code once it is canceled or has expired", async () => {
    const opened = await openAppWithCustomer({ hppExpiryMs: 0 });
    const { created: expired } = await opened.create({ description: "expired" });
    await opened.service.settlePayments();
    expect(await find(opened, { decline_code: "hpp_expired" })).toEqual([expired.id]);
    const patient = await openAppWithCustomer();
    const { created: canceled, path } = await patient.create({ description: "canceled" });
    expect(await find(patient, { decline_code: "customer_canceled" })).toEqual([]);
    await patient.submit(`${path}/cancel`);
    expect(await find(patient, { decline_code: "customer_canceled" })).toEqual([canceled.id]);
    expect(await find(patient, { "card[last4]": "4242" })).toEqual([]);
  });
});

test("a payment that is declined later is found by its decline code and its new status at once", async () => {
  const opened = await openAppWithCustomer();
  const { id } = await create(opened, { card: cardWith({ number: "4000000000009995" }) });
  const code = "insufficient_funds";
  expect(await find(opened, { decline_code: code })).toEqual([]);
  expect(await find(opened, { status: "pending", "card[last4]": "9995" })).toEqual([id]);
  await opened.service.settlePayments();
  expect(await find(opened, { decline_code: code })).toEqual([id]);
  expect(await find(opened, { status: "failed", "card[last4]": "9995" })).toEqual([id]);
  expect(await find(opened, { status: "pending", "card[last4]": "9995" })).toEqual([]);
});

test("a refunded payment is found by its new status at once, in the same form as it is retrieved", async () => {
  const opened = await openAppWithCustomer();
  const { id } = await create(opened, { customer: { email: "ada@example.com" } });
  const asked = { "customer[email]": "ada@example.com", status: "refunded" };
  expect(await find(opened, asked)).toEqual([]);
  await opened.call({ method: "POST", path: `/v1/payments/${id}/refund` });
  const { text } = await opened.call({ path: `/v1/payments/${id}` });
  expect((await list(opened, asked)).data).toEqual([JSON.parse(text)]);
  expect(await find(opened, { ...asked, status: "succeeded" })).toEqual([]);
});

test("pages of found payments are walked in both directions", async () => {
  const opened = await openAppWithCustomer();
  const ids: string[] = [];
  for (let made = 0; made < 14; made++) {
    const { id } = await create(opened, { description: made % 2 === 0 ? "Even" : "Odd" });
    if (made % 2 === 0) ids.unshift(id);
  }
  const walk = async (cursor: "starting_after" | "ending_before") => {
    const walked: string[][] = [];
    for (let more = true, at: string | undefined; more;) {
      const page = await list(opened, { search: "even", limit: "3", ...(at && { [cursor]: at }) });
      const found = page.data.map(({ id }) => id);
      walked.push(found);
      at = cursor === "starting_after" ? found.at(-1) : found[0];
      more = page.has_more;
    }
    return walked;
  };
  expect(await walk("starting_after")).toEqual([ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)]);
  const ofLast = { search: "even", limit: "3", ending_before: ids.at(-1) ?? "" };
  const { data, has_more: hasMore } = await list(opened, ofLast);
  expect([data.map(({ id }) => id), hasMore]).toEqual([ids.slice(3, 6), true]);
});

test("a page of found payments ends at one mebibyte, and the next one goes on", async () => {
  const opened = await openAppWithCustomer();
  const metadata = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`k${index}`, "😀".repeat(500)]),
  );
  const ids: string[] = [];
  for (let made = 0; made < 20; made++) {
    ids.unshift((await create(opened, { description: "large", metadata })).id);
  }
  const first = await list(opened, { search: "large", limit: "100" });
  expect(first.has_more).toBe(true);
  expect(first.data.length).toBeLessThan(20);
  expect(Buffer.byteLength(JSON.stringify(first))).toBeLessThanOrEqual(1024 * 1024 + 1_000);
  const after = first.data.at(-1)?.id ?? "";
  const rest = await list(opened, { search: "large", limit: "100", starting_after: after });
  expect(rest.has_more).toBe(false);
  expect([...first.data, ...rest.data].map(({ id }) => id)).toEqual(ids);
});

test("a long word is compared to its last character", async () => {
  const opened = await openAppWithCustomer();
  const word = "0x".padEnd(200, "f");
  const { id } = await create(opened, { description: word });
  expect(await find(opened, { search: word })).toEqual([id]);
  for (const search of [word.slice(0, 199), `${word.slice(0, 199)}e`]) {
    expect(await find(opened, { search })).toEqual([]);
  }
});

test("a payment is not found in the other mode", async () => {
  const opened = await openAppWithCustomer();
  await create(opened, { customer: { email: "ada@example.com" } });
  for (const query of ["search=ada", "customer[email]=ada@example.com", "amount=4999"]) {
    const { text } = await opened.call({ path: `/v1/payments?${query}`, key: "live" });
    expect((JSON.parse(text) as PaymentList).data).toEqual([]);
  }
});
