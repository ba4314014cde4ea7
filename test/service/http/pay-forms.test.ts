import { describe, expect, test } from "vitest";
import {
  form,
  isPage,
  openAppWithCustomer,
  saidIn,
  plainView,
  visa,
} from "../../testkit/app/customer.ts";

describe("a mistake in the form", () => {
  test("shows the form with the mistakes, and without number and security code", async () => {
    const { create, submit } = await openAppWithCustomer();
    const { path, created, payment } = await create();
    const fields = { number: "5555 5555 5555 4445", expiry: "13/40", cvc: "9173", name: "Ada" };
    const answer = await submit(path, fields);
    expect(answer.status).toBe(422);
    expect(answer.headers["location"]).toBeUndefined();
    const view = {
      state: "open",
      ...plainView,
      action: path,
      cancelAction: `${path}/cancel`,
      mistakes: {
        number: "Check the card number: a digit is wrong.",
        expiry: "Check the month: it is a number from 01 to 12.",
        cvc: "Enter the 3 digits on the back of the card.",
      },
      nowMs: 0,
      isBankBusy: false,
      prefill: { expiry: "13/40", name: "Ada" },
    } as const;
    expect(isPage(answer, view)).toBe(true);
    expect(saidIn(answer)).not.toMatch(/5555|4445|9173/);
    expect(await payment()).toEqual(created);
    expect((await submit(path, visa)).status).toBe(303);
    expect(await payment()).toMatchObject({ status: "succeeded" });
  });

  test("is shown as text, never as markup", async () => {
    const { create, submit } = await openAppWithCustomer();
    const [description, name] = [`"><script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`];
    const { path } = await create({ description });
    const answer = await submit(path, { ...visa, cvc: "", name });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain("onerror");
    for (const typed of [description, name]) expect(answer.text).not.toContain(typed);
  });
});

describe("a form that the page would not send is refused", () => {
  const fields = new URLSearchParams(visa).toString();

  test.each<[string, string, string | null, number]>([
    ["with an unknown field", `${fields}&amount=1`, form, 400],
    ["with a repeated field", `${fields}&cvc=123`, form, 400],
    ["with a field __proto__", `${fields}&__proto__=1`, form, 400],
    ["with escaped bytes that are no text", fields.replace("number=", "number=%ff"), form, 400],
    ["with half an escape", `${fields}%4`, form, 400],
    ["in JSON", JSON.stringify(visa), "application/json", 415],
    ["in several parts", "--x\r\n\r\n--x--", "multipart/form-data; boundary=x", 415],
    ["as plain text", fields, "text/plain", 415],
    ["as no media type", fields, "none", 415],
    ["without a media type", fields, null, 415],
    ["of more than 8 KiB", "x".repeat(8_193), form, 413],
    ["of a megabyte", "x".repeat(1_000_000), form, 413],
  ])("%s", async (_, body, type, status) => {
    const { create, submit } = await openAppWithCustomer();
    const { path, created, payment } = await create();
    for (const to of [path, `${path}/cancel`]) {
      const answer = await submit(to, body, { type });
      expect(answer.status).toBe(status);
      expect(isPage(answer, { state: "refused" })).toBe(true);
    }
    expect(await payment()).toEqual(created);
  });

  test("in no UTF-8", async () => {
    const { create, call } = await openAppWithCustomer();
    const { path } = await create();
    const body = Buffer.concat([Buffer.from(fields), Buffer.from([0xff])]);
    const answer = await call({ method: "POST", path, key: null, body, type: form });
    expect(answer.status).toBe(400);
    expect(isPage(answer, { state: "refused" })).toBe(true);
  });

  test("to cancel, with a card in it", async () => {
    const { create, submit } = await openAppWithCustomer();
    const { path, created, payment } = await create();
    expect((await submit(`${path}/cancel`, visa)).status).toBe(400);
    expect(await payment()).toEqual(created);
  });
});

test.each([
  "application/x-www-form-urlencoded; charset=UTF-8",
  "Application/X-WWW-Form-Urlencoded",
])("a form may have the media type %s, and up to 8 KiB", async (type) => {
  const { create, submit } = await openAppWithCustomer();
  const { path, payment } = await create();
  const start = new URLSearchParams({ ...visa, number: "4242424242424242" }).toString();
  const body = start.replace("number=", `number=${"+".repeat(8_192 - start.length)}`);
  expect(body).toHaveLength(8_192);
  expect((await submit(path, body, { type })).status).toBe(303);
  expect(await payment()).toMatchObject({ status: "succeeded" });
});
