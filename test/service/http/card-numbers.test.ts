import { expect, test } from "vitest";
import { bodyWith, cardWith } from "../../testkit/create-payment-body.ts";
import { openAppForTest } from "../../testkit/app/open-app.ts";
import { errorIn } from "../../testkit/app/refusal-of.ts";

const number = "4242 4242 4242 4242";

test.each([
  ["description", { description: `paid with ${number}` }],
  ["card[holder_name]", { card: cardWith({ holder_name: number }) }],
  ["customer[email]", { customer: { email: "4242424242424242@example.com" } }],
  ["customer[last_name]", { customer: { first_name: "4242 4242", last_name: "4242 4242" } }],
  ["customer[phone]", { customer: { phone: number } }],
  ["customer[address]", { customer: { address: number } }],
  ["metadata[card]", { metadata: { card: number } }],
  ["metadata", { metadata: { "4242424242424242": "x" } }],
])("a card number in %s is refused, and the error does not repeat it", async (param, fields) => {
  const { call } = await openAppForTest();
  const hosted = { ...bodyWith(fields), card: undefined };
  const bodies = [
    { path: "/v1/payments", body: bodyWith(fields) },
    ...("card" in fields ? [] : [{ path: "/v1/payments/hpp", body: hosted }]),
  ];
  for (const each of bodies) {
    const answer = await call({ method: "POST", ...each });
    expect(answer.status).toBe(400);
    expect(errorIn(answer)).toMatchObject({ code: "parameter_invalid", param });
    expect(errorIn(answer).message).toMatch(/card number/);
    expect(answer.text).not.toMatch(/4242.?4242/);
  }
  expect(JSON.parse((await call({})).text)).toMatchObject({ data: [] });
});

test("a card number in a return_url is refused, and the error does not repeat it", async () => {
  const { call } = await openAppForTest();
  const return_url = "https://shop.example/thanks?card=4242%204242%204242%204242";
  const body = { ...bodyWith({ return_url }), card: undefined };
  const answer = await call({ method: "POST", path: "/v1/payments/hpp", body });
  expect(answer.status).toBe(400);
  expect(errorIn(answer)).toMatchObject({ code: "parameter_invalid", param: "return_url" });
  expect(errorIn(answer).message).toMatch(/card number/);
  expect(answer.text).not.toContain("4242");
  expect(JSON.parse((await call({})).text)).toMatchObject({ data: [] });
});
