import { describe, expect, test } from "vitest";
import { Unavailable } from "../../../src/runtime/failures.ts";
import type { Store } from "../../../src/service/ports/ports.ts";
import {
  isPage,
  openAppWithCustomer,
  saidIn,
  plainView,
  closedView,
  visa,
} from "../../testkit/app/customer.ts";
import type { Answer } from "../../testkit/app/open-app.ts";

/** A response without the headers that differ in every one. */
function omitVarying({ status, headers, text }: Answer): object {
  const { "service-request-id": _, date: __, ...rest } = headers;
  return { status, headers: rest, text };
}

describe("an unknown and a malformed page", () => {
  test("get the same response, byte for byte", async () => {
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
});

describe("an expired page", () => {
  test("accepts no card, and links back to the merchant, before and after its payment has failed", async () => {
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
});

describe("a wrong method", () => {
  test.each([
    ["/pay/x", "GET, HEAD, POST", ["PUT", "PATCH", "DELETE", "OPTIONS"]],
    ["/pay/x/cancel", "POST", ["GET", "PUT", "DELETE"]],
    ["/pay/x/return", "GET, HEAD", ["POST", "PUT", "DELETE"]],
  ])("of %s is refused with a page, and the allowed methods", async (path, allow, methods) => {
    const { call } = await openAppWithCustomer();
    for (const method of methods) {
      const answer = await call({ method, path, key: null });
      expect(answer.status).toBe(405);
      expect(answer.headers["allow"]).toBe(allow);
      expect(isPage(answer, { state: "refused" })).toBe(true);
    }
  });
});

describe("a failure", () => {
  const faults: [string, unknown, number][] = [
    ["a store that is away", new Unavailable("/var/db: the disk is full"), 503],
    ["a fault", new Error("SELECT secret FROM payments"), 500],
  ];
  const methods = ["findPage", "claimPage", "closePage"] as const;

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
