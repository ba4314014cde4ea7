import { describe, expect, test } from "vitest";
import { ServiceError } from "../../../../src/contract/error.ts";
import { cardWith } from "../../../testkit/api-objects.ts";
import type { Answer } from "../../../testkit/app/open-app.ts";
import {
  findPaymentIds,
  openDashboard,
  pageLinkOf,
  textOf,
} from "../../../testkit/pages/open-dashboard.ts";

/** Three payments that have little in common, and a viewer who looks for them. */
async function openShop() {
  const opened = await openDashboard();
  const { signIn, at, pay, service } = opened;
  const shoes = await pay({
    amount: 7321,
    description: "Order ORD-1001",
    customer: { email: "Ada@Example.com", first_name: "Ada", last_name: "Lovelace" },
    metadata: { order_id: "ORD-1001", channel: "shop" },
  });
  const hat = await pay({
    amount: 5,
    currency: "usd",
    customer: { email: "grace@navy.example" },
    card: cardWith({ number: "5555555555554444" }),
    metadata: { channel: "shop", note: "", text: "two\nlines & more" },
  });
  const declined = await pay({
    customer: { email: "ada@example.com" },
    card: cardWith({ number: "4000000000009995" }),
  });
  await service.settlePayments();
  const { get } = await signIn("viewer");
  const ids = { shoes: shoes.id, hat: hat.id, declined: declined.id };
  return { ...opened, ids, list: async (query: string) => get(at(`/payments?${query}`)) };
}

/** The names of the filters that a page offers to remove, each with the query that is left. */
function findRemovals({ text }: Answer): [filter: string, query: string][] {
  return [
    ...text.matchAll(
      /<a\s+href="([^"]+)"\s*><span class="visually-hidden">Remove the filter <\/span>([^]*?)<span/g,
    ),
  ].map(([, address = "", filter = ""]) => [
    filter
      .replaceAll(/<[^>]+>/g, "")
      .replaceAll(/\s+/g, " ")
      .trim(),
    address.replaceAll("&amp;", "&").split("?")[1] ?? "",
  ]);
}

describe("payments are found", () => {
  test("by each filter, and by several that must all hold", async () => {
    const { list, ids } = await openShop();
    const expected: [query: string, found: (keyof typeof ids)[]][] = [
      ["search=EXAMPLE.com", ["declined", "shoes"]],
      ["search=shop", ["hat", "shoes"]],
      ["search=shop+ord&status=succeeded", ["shoes"]],
      ["search=shop+nobody", []],
      ["email=ADA%40example.com", ["declined", "shoes"]],
      ["email=ada%40example.com&status=failed", ["declined"]],
      ["amount=73.21", ["shoes"]],
      ["amount=73,21", ["shoes"]],
      ["amount=73.21+EUR", ["shoes"]],
      ["amount=73.21+eur&currency=", ["shoes"]],
      ["amount=73.21+USD", []],
      ["amount=0.05", ["hat"]],
      ["amount=0.05&currency=eur", []],
      ["currency=usd", ["hat"]],
      ["last4=4444", ["hat"]],
      ["decline_code=insufficient_funds", ["declined"]],
      ["metadata[order_id]=ORD-1001", ["shoes"]],
      ["metadata[order_id]=ord-1001", []],
      ["metadata[channel]=shop&metadata[note]=", ["hat"]],
      ["metadata[text]=two%0Alines+%26+more", ["hat"]],
      [`metadata=${encodeURIComponent("metadata[text]=two%0Alines+%26+more")}`, ["hat"]],
      ["search=&amount=&last4=+&currency=", ["declined", "hat", "shoes"]],
    ];
    const found = await Promise.all(
      expected.map(async ([query]) => [query, findPaymentIds(await list(query))]),
    );
    expect(found).toEqual(
      expected.map(([query, names]) => [query, names.map((name) => ids[name])]),
    );
  });

  test("at once where a search has a single hit, but as a list where something else filters", async () => {
    const { list, ids, at } = await openShop();
    for (const search of ["ord-1001", ids.shoes.slice(-8), "0,05"]) {
      const { status, headers } = await list(`search=${search}`);
      const id = search === "0,05" ? ids.hat : ids.shoes;
      expect([status, headers["location"]]).toEqual([303, at(`/payments/${id}`)]);
    }
    expect(findPaymentIds(await list("search=ord-1001&status=succeeded"))).toEqual([ids.shoes]);
    expect(findPaymentIds(await list(`search=ord&starting_after=${ids.hat}`))).toEqual([ids.shoes]);
  });

  test("from page to page", async () => {
    const { signIn, at, pay } = await openDashboard();
    const wanted: string[] = [];
    for (let index = 0; index < 27; index++) {
      const { id } = await pay({ metadata: { order: "a b&c" } });
      wanted.unshift(id);
      await pay({});
    }
    const { get } = await signIn();
    const query = "search=visa&last4=4242&metadata%5Border%5D=a+b%26c";
    const first = await get(at(`/payments?${query}`));
    const second = await get(pageLinkOf(first, "next") ?? "");
    expect([first, second].flatMap(findPaymentIds)).toEqual(wanted);
    expect(findPaymentIds(await get(pageLinkOf(second, "prev") ?? ""))).toEqual(
      wanted.slice(0, 25),
    );
  });
});

test("each active filter is shown, and can be removed alone or with all others", async () => {
  const { list, at } = await openShop();
  const page = await list("search=nobody&amount=73.21&metadata[order_id]=<b>&status=failed");
  expect(findRemovals(page)).toEqual([
    ["Search: nobody", "status=failed&amount=73.21&metadata%5Border_id%5D=%3Cb%3E"],
    ["Status: Failed", "search=nobody&amount=73.21&metadata%5Border_id%5D=%3Cb%3E"],
    ["Amount: 73.21", "search=nobody&status=failed&metadata%5Border_id%5D=%3Cb%3E"],
    ["Metadata order_id: &lt;b&gt;", "search=nobody&status=failed&amount=73.21"],
  ]);
  expect(page.text).toContain(`href="${at("/payments")}">Clear all</a>`);
  expect(textOf(page)).toContain("No matching payments");
  expect(findRemovals(await list(""))).toEqual([]);
  expect(findRemovals(await list("amount=1,234.56+EUR"))).toEqual([
    ["Amount: 1,234.56", "currency=eur"],
    ["Currency: EUR", "amount=1234.56"],
  ]);
});

const tooLong = "x".repeat(201);
const wordMistake = "Enter words with letters or digits: signs alone cannot be found.";
const metadataMistake = "A metadata key has up to 40 characters, and its value up to 500.";
const amountMistake = "Enter an amount above zero with two decimals, such as 73.21.";

/** Texts that cannot be searched, the field that has each, and the mistake beside that field. */
const mistakes: [query: string, field: string, mistake: string][] = [
  [`search=${tooLong}`, "search", "Enter at most 200 characters."],
  ["search=1+2+3+4+5+6+7+8+9", "search", "Enter at most 8 words."],
  ["search=%E2%82%AC+%26", "search", wordMistake],
  ["search=***", "search", wordMistake],
  ["search=a%00", "search", "This has a character that cannot be searched for. Type it again."],
  ["amount=73", "amount", amountMistake],
  ["amount=73.2", "amount", amountMistake],
  ["amount=0.00", "amount", amountMistake],
  ["amount=073.21", "amount", amountMistake],
  ["amount=73.21+USD&currency=eur", "amount", amountMistake],
  ["amount=73.21+CHF", "currency", "Choose eur, usd, gbp."],
  ["amount=-1.00", "amount", amountMistake],
  ["amount=90071992547409.92", "amount", amountMistake],
  ["last4=42", "last4", "Enter four digits, such as 4242."],
  ["last4=%D9%A4%D9%A2%D9%A4%D9%A2", "last4", "Enter four digits, such as 4242."],
  ["email=ada", "email", "Enter a whole email address, such as ada@example.com."],
  ["currency=EUR", "currency", "Choose eur, usd, gbp."],
  ["decline_code=lost", "decline_code", "Choose generic_decline,"],
];

describe("a filter that cannot be searched", () => {
  test.each(mistakes)("has its mistake beside the field: %s", async (query, field, mistake) => {
    const { list, pay } = await openShop();
    await pay();
    const page = await list(query);
    expect(page.status).toBe(400);
    expect(findPaymentIds(page)).toEqual([]);
    const [, control, beside] =
      new RegExp(
        `<(?:input|select)([^>]*id="${field}"[^>]*)>[^]*?<p class="mistake" id="${field}-mistake">([^<]+)`,
      ).exec(page.text) ?? [];
    expect(control).toContain('aria-invalid="true"');
    expect(control).toMatch(new RegExp(`aria-describedby="${field}-mistake`));
    expect(beside).toContain(mistake);
    expect(page.text.match(/<details class="menu folded"\s+open/g) ?? []).toHaveLength(
      field === "search" ? 0 : 1,
    );
  });

  test.each([
    [`metadata[${"k".repeat(41)}]=1`, metadataMistake],
    [`metadata[k]=${"v".repeat(501)}`, metadataMistake],
    [
      "metadata[a]=&metadata[b]=&metadata[c]=&metadata[d]=",
      "Only three metadata values can be searched for at once. Remove one.",
    ],
  ])("as metadata has its mistake beside its name: %s", async (query, mistake) => {
    const { list } = await openShop();
    const page = await list(query);
    expect(page.status).toBe(400);
    expect(textOf(page)).toMatch(/Metadata [a-z]+ : /);
    expect(page.text.split(mistake)).toHaveLength(2);
  });

  const card = "4242424242424242";
  test.each([
    ["search", "4242 4242 4242 4242"],
    ["search", `ada ${card}`],
    ["id", card],
    ["status", card],
    ["from", card],
    ["email", `${card}@example.com`],
    ["amount", "42424242424242.42"],
    ["amount", "42,424,242,424,242.42 EUR"],
    ["currency", card],
    ["last4", card],
    ["decline_code", card],
    ["metadata[order]", card],
    [`metadata[${card}]`, "1"],
  ])("is never shown, or left in a link, where %s holds a card number: %s", async (name, value) => {
    const { list } = await openShop();
    const query = new URLSearchParams([
      [name, value],
      ["to", "2026-11-30"],
    ]).toString();
    const page = await list(query);
    expect(page.status).toBe(400);
    expect(page.text.replaceAll(/[^\d]/g, "")).not.toContain(card);
    expect(textOf(page)).toContain("Do not enter a whole card number here.");
    expect(page.text).toMatch(/href="[^"?]+\?to=2026-11-30"/);
  });
});

test("a search beyond the index of an upgraded database says so, while the list goes on", async () => {
  const message = "The index of this database is being built. It reaches back to 1 Nov 2026.";
  const { signIn, at, pay } = await openDashboard({
    store: (real) => ({
      ...real,
      listPayments: async (scope, range) => {
        if (range.filter) throw new ServiceError("service_unavailable", message);
        return await real.listPayments(scope, range);
      },
    }),
  });
  const { id } = await pay();
  const { get } = await signIn();
  for (const query of ["search=ada", "last4=4242", "metadata[a]=1"]) {
    const page = await get(at(`/payments?${query}&status=succeeded`));
    expect([page.status, page.headers["retry-after"]]).toEqual([503, "1"]);
    expect(textOf(page)).toContain(`Nothing was searched. ${message}`);
    expect(textOf(page)).not.toContain("No matching payments");
    const [, listAddress] = /<a href="([^"]+)">list payments without/.exec(page.text) ?? [];
    expect(listAddress).toBe(at("/payments?status=succeeded"));
    expect(findPaymentIds(await get(listAddress ?? ""))).toEqual([id]);
  }
});

test("a list without a search that fails is no matter of the index", async () => {
  const { signIn, at } = await openDashboard({
    store: (real) => ({
      ...real,
      listPayments: async () => {
        throw new ServiceError("service_unavailable", "Later.");
      },
    }),
  });
  const { get } = await signIn();
  const page = await get(at("/payments?status=failed&from=2026-01-01"));
  expect(page.status).toBe(503);
  expect(textOf(page)).toContain("Not available at the moment");
});
