import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import {
  form,
  isPage,
  openAppWithCustomer,
  saidIn,
  plainView,
  visa,
  closedView,
} from "../../testkit/app/customer.ts";
import { Unavailable } from "../../../src/runtime/failures.ts";
import type { Store } from "../../../src/service/service.ts";
import type { Answer } from "../../testkit/app/open-app.ts";

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
        number: "number_wrong",
        expiry: "expiry_month",
        cvc: "cvc_back",
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

/** A response without the headers that differ in every one. */
function omitVarying({ status, headers, text }: Answer): object {
  const { "service-request-id": _, date: __, ...rest } = headers;
  return { status, headers: rest, text };
}

test("an unknown and a malformed page get the same response, byte for byte", async () => {
  const { visit, submit } = await openAppWithCustomer();
  const paths = ["/pay/unknown", `/pay/${"0".repeat(32)}`, "/pay/%00", "/pay/a%2Fb"];
  const long = `/pay/${"x".repeat(10_000)}`;
  const answers: Answer[] = [];
  for (const each of [...paths, long]) {
    answers.push(await visit(each));
    answers.push(await visit(`${each}/return`));
    answers.push(await submit(each, visa));
    answers.push(await submit(each, {}));
    answers.push(await submit(`${each}/cancel`));
  }
  const [first] = answers;
  expect(first?.status).toBe(404);
  expect(first && isPage(first, { state: "gone" })).toBe(true);
  for (const answer of answers) expect(omitVarying(answer)).toEqual(first && omitVarying(first));
});

test("an expired page accepts no card, and links back to the merchant, before and after its payment has failed", async () => {
  const { create, visit, submit, service } = await openAppWithCustomer({ hppExpiryMs: 0 });
  const { path, created, payment } = await create({ return_url: "https://shop.example/cart" });
  const view = {
    state: "expired",
    ...plainView,
    ...closedView,
    wasChargeRequested: false,
  } as const;
  for (const status of ["pending", "failed"]) {
    const page = await visit(path);
    expect(page.status).toBe(404);
    expect(isPage(page, { ...view, returnTo: `${path}/return` })).toBe(true);
    for (const [to, fields] of [
      [path, visa],
      [path, {}],
      [`${path}/cancel`, {}],
    ] as const) {
      const answer = await submit(to, fields);
      expect(answer.status).toBe(404);
      expect(isPage(answer, { ...view, returnTo: `${path}/return` })).toBe(true);
    }
    const back = await visit(`${path}/return`);
    const query = `payment_id=${created.id}&status=${status}`;
    expect(back.headers["location"]).toBe(`https://shop.example/cart?${query}`);
    await service.settlePayments();
  }
  expect(await payment()).toMatchObject({ decline_code: "hpp_expired", card: null });
});

test.each([
  ["/pay/x", "GET, HEAD, POST", ["PUT", "PATCH", "DELETE", "OPTIONS"]],
  ["/pay/x/cancel", "POST", ["GET", "PUT", "DELETE"]],
  ["/pay/x/return", "GET, HEAD", ["POST", "PUT", "DELETE"]],
])(
  "a wrong method of %s is refused with a page, and the allowed methods",
  async (path, allow, methods) => {
    const { call } = await openAppWithCustomer();
    for (const method of methods) {
      const answer = await call({ method, path, key: null });
      expect(answer.status).toBe(405);
      expect(answer.headers["allow"]).toBe(allow);
      expect(isPage(answer, { state: "refused" })).toBe(true);
    }
  },
);

describe("a failure", () => {
  const faults: [string, unknown, number][] = [
    ["a store that is away", new Unavailable("/var/db: the disk is full"), 503],
    ["a fault", new Error("SELECT secret FROM payments"), 500],
  ];
  const methods = ["findPage", "chargePage"] as const;

  test.each(faults)(
    "which is %s is answered with a page without details",
    async (_, error, status) => {
      for (const method of methods) {
        const { create, submit, logged } = await openAppWithCustomer({
          store: failMethod(method, error),
        });
        const { path } = await create();
        const answer = await submit(path, visa);
        expect(answer.status).toBe(status);
        expect(isPage(answer, { state: "unavailable" })).toBe(true);
        expect(saidIn(answer)).not.toMatch(/var|SELECT|disk/);
        expect(answer.headers["x-frame-options"]).toBe("DENY");
        const line = logged.find(({ level }) => level === "error");
        expect(line?.fields).toMatchObject({
          request_id: answer.headers["service-request-id"],
        });
      }
    },
  );
});

function failMethod(method: keyof Store, error: unknown) {
  return (real: Store): Store => ({
    ...real,
    [method]: async () => {
      throw error;
    },
  });
}

const number = "5555555555554444";
const cvc = "9173";
const good = { number: "5555 5555 5555 4444", expiry: "12/40", cvc: "917", name: "Ada" };

/** Forms with card data in the right fields, and in wrong ones. */
const forms: [string, object | string][] = [
  ["that is right", good],
  ["whose number is wrong", { ...good, number: `${number.slice(0, -1)}5` }],
  ["whose code is wrong", { ...good, cvc }],
  ["with the number as the code", { ...good, cvc: number }],
  ["with the number as the expiry", { ...good, expiry: number }],
  ["with the number as the name", { ...good, name: good.number }],
  ["with the number in the name", { ...good, name: `Ada ${number}` }],
  ["with the code as the name", { ...good, name: cvc }],
  ["with the number as a field", { ...good, [number]: "x" }],
  ["with the number twice", `number=${number}&number=${number}&cvc=${cvc}`],
  ["that is too long", `number=${number}&cvc=${cvc}&name=${"x".repeat(9_000)}`],
];

test.each(forms)(
  "the card data of a form %s appears in no response, header or log",
  async (_, fields) => {
    const { create, submit, visit, logged } = await openAppWithCustomer({
      network: (real) => ({
        ...real,
        charge: async (_charge, card) => {
          const said = `refused ${card.number} with ${card.cvc}`;
          throw Object.assign(new Error(said), { card });
        },
      }),
    });
    const { path } = await create();
    for (const answer of [
      await submit(path, fields),
      await submit("/pay/unknown", fields),
      await submit(path, fields, { type: "text/plain" }),
      await submit(path, fields, { headers: { "sec-fetch-site": "cross-site" } }),
      await visit(path),
    ]) {
      expect(saidIn(answer)).not.toMatch(/5555|4444|9173/);
    }
    const lines = logged.map(({ fields: line }) => inspect(line, { depth: 20 })).join("\n");
    expect(lines).toContain("/pay/:token");
    expect(lines.replaceAll(/(req|key)_[0-9a-f-]{36}/g, "")).not.toMatch(/5555|4444|9173/);
    expect(lines).not.toContain(path.slice("/pay/".length));
  },
);
