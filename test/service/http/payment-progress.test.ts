import { describe, expect, test } from "vitest";
import {
  action,
  bankUrl,
  openAppWithBank,
  openAppWithCustomer,
  visa,
} from "../../testkit/app/customer.ts";

const approved = { outcome: "approved", reference: action.reference } as const;
const still = { outcome: "processing", retryAfterMs: 60_000 } as const;

async function openProgress() {
  const opened = await openAppWithBank();
  const { call } = opened;
  /** The value of the header, as GET and HEAD have it. */
  const readProgress = async (id: string) => {
    const path = `/v1/payments/${id}`;
    const [got, head] = [await call({ path }), await call({ method: "HEAD", path })];
    expect(head.headers["payment-progress"]).toBe(got.headers["payment-progress"]);
    return got.headers["payment-progress"];
  };
  return { ...opened, readProgress };
}

describe("GET /v1/payments/{id} has the header Payment-Progress", () => {
  test("only while the customer is at the bank", async () => {
    const { create, submit, comeBack, fake, readProgress } = await openProgress();
    const { created, path, payment } = await create();
    expect(await readProgress(created.id)).toBeUndefined();
    fake.steps.charge.push(() => action);
    await submit(path, visa);
    expect(await readProgress(created.id)).toBe("at_bank");
    await comeBack(path, still);
    expect(await payment()).toMatchObject({ status: "pending" });
    expect(await readProgress(created.id)).toBeUndefined();
  });

  test.each([
    ["approved", approved, "succeeded"],
    ["declined", { outcome: "declined", code: "authentication_required" }, "failed"],
  ] as const)("no longer when the payment is %s", async (_, answer, status) => {
    const { sendToBank, comeBack, readProgress } = await openProgress();
    const { created, path, payment } = await sendToBank();
    expect(await readProgress(created.id)).toBe("at_bank");
    await comeBack(path, answer);
    expect(await payment()).toMatchObject({ status });
    expect(await readProgress(created.id)).toBeUndefined();
  });

  test("no longer when the customer has canceled", async () => {
    const { sendToBank, submit, readProgress } = await openProgress();
    const { created, path } = await sendToBank();
    await submit(`${path}/cancel`);
    expect(await readProgress(created.id)).toBeUndefined();
  });

  test("not while the network has not answered yet", async () => {
    const { create, submit, fake, readProgress } = await openProgress();
    const { created, path } = await create();
    fake.steps.charge.push(() => still);
    await submit(path, visa);
    expect(await readProgress(created.id)).toBeUndefined();
  });

  test("with the simulator, too", async () => {
    const { create, submit, call } = await openAppWithCustomer();
    const { created, path } = await create();
    await submit(path, { ...visa, number: "4000002760003184" });
    const { headers } = await call({ path: `/v1/payments/${created.id}` });
    expect(headers["payment-progress"]).toBe("at_bank");
  });
});

test("neither a payment nor a list says more of a customer at the bank: no field, no header, no address", async () => {
  const { create, sendToBank, call } = await openProgress();
  const { created: waiting } = await create();
  const { created } = await sendToBank();
  const paths = [`/v1/payments/${created.id}`, "/v1/payments", `/v1/events`];
  for (const path of paths) expect((await call({ path })).text).not.toContain(bankUrl);
  const { headers, text } = await call({});
  expect(headers).not.toHaveProperty("payment-progress");
  const { data } = JSON.parse(text) as { data: (object & { id: string })[] };
  const single = JSON.parse((await call({ path: paths[0]! })).text) as object;
  for (const each of [single, data.find(({ id }) => id === created.id)]) {
    expect(Object.keys(each ?? {})).toEqual(Object.keys(waiting));
    expect(each).toMatchObject({ status: "pending", card: { last4: "4242" } });
  }
});
