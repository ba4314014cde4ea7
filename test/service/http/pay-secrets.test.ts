import { inspect } from "node:util";
import { expect, test } from "vitest";
import { openAppWithCustomer, saidIn } from "../../testkit/app/customer.ts";

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
    expect(lines.replaceAll(/req_[0-9a-f-]{36}/g, "")).not.toMatch(/5555|4444|9173/);
    expect(lines).not.toContain(path.slice("/pay/".length));
  },
);
