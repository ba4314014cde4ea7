import { describe, expect, test } from "vitest";
import { gatherPages, listPages } from "../../src/client/list-pages.ts";
import type { ListPaymentsQuery, PaymentList } from "../../src/contract/list-payments.ts";
import { paymentWith } from "../testkit/api-objects.ts";

/** A list endpoint over payments `pay_1` (the newest) to `pay_<total>`, which records its queries. */
function listOf(total: number, { shortPages = false } = {}) {
  const queries: ListPaymentsQuery[] = [];
  const all = Array.from({ length: total }, (_, index) => paymentWith({ id: `pay_${index + 1}` }));
  const list = async (query: ListPaymentsQuery): Promise<PaymentList> => {
    queries.push(query);
    const limit = Math.ceil((query.limit ?? 10) / (shortPages ? 2 : 1));
    const begin = at(query.starting_after, -1) + 1;
    const end = at(query.ending_before, total);
    const from = query.ending_before === undefined ? begin : Math.max(begin, end - limit);
    const data = all.slice(from, Math.min(from + limit, end));
    const has_more = query.ending_before === undefined ? from + limit < end : from > 0;
    return { object: "list", url: "/v1/payments", data, has_more };
  };
  return { list, queries };
}

function at(id: string | undefined, otherwise: number): number {
  return id === undefined ? otherwise : Number(id.slice(4)) - 1;
}

const aPage: PaymentList = {
  object: "list",
  url: "/v1/payments",
  data: [paymentWith({ id: "pay_1" })],
  has_more: true,
};

const numbers = ({ data }: PaymentList) => data.map(({ id }) => Number(id.slice(4)));
const upTo = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe("pages", () => {
  test("go from newer to older, a hundred at a time", async () => {
    const { list, queries } = listOf(250);
    const found = (await Array.fromAsync(listPages({ status: "failed" }, list))).map(numbers);
    expect(found).toEqual([upTo(1, 100), upTo(101, 200), upTo(201, 250)]);
    expect(queries).toEqual([
      { limit: 100, status: "failed" },
      { limit: 100, status: "failed", starting_after: "pay_100" },
      { limit: 100, status: "failed", starting_after: "pay_200" },
    ]);
  });

  test("go from older to newer with ending_before, each page newest first", async () => {
    const { list, queries } = listOf(25);
    const query = { ending_before: "pay_23", limit: 10 };
    const found = (await Array.fromAsync(listPages(query, list))).map(numbers);
    expect(found).toEqual([upTo(13, 22), upTo(3, 12), upTo(1, 2)]);
    expect(queries.map(({ ending_before }) => ending_before)).toEqual([
      "pay_23",
      "pay_13",
      "pay_3",
    ]);
  });

  test("are fetched only when the caller reads on", async () => {
    const { list, queries } = listOf(250);
    for await (const page of listPages({}, list)) {
      expect(page.has_more).toBe(true);
      break;
    }
    expect(queries).toHaveLength(1);
  });

  test("continue after a page shorter than its limit while has_more is true", async () => {
    const { list } = listOf(12, { shortPages: true });
    const found = (await Array.fromAsync(listPages({ limit: 10 }, list))).map(numbers);
    expect(found).toEqual([upTo(1, 5), upTo(6, 10), upTo(11, 12)]);
  });

  test("end at an empty page", async () => {
    const empty = { object: "list", url: "/v1/payments", data: [], has_more: true } as const;
    const found = await Array.fromAsync(listPages({}, async () => ({ ...empty, data: [] })));
    expect(found).toEqual([empty]);
  });

  test.each([{}, { ending_before: "pay_9" }])(
    "fail where a service gives the same page for ever (%j)",
    async (query) => {
      const found = listPages(query, async () => aPage, 50);
      await expect(Array.fromAsync(found)).rejects.toThrow("the same page of the list again");
    },
  );

  test("of a service without payments are one empty page", async () => {
    const { list, queries } = listOf(0);
    expect((await Array.fromAsync(listPages({}, list))).map(numbers)).toEqual([[]]);
    expect(queries).toHaveLength(1);
  });
});

describe("pages as one list", () => {
  test.each([
    { limit: 1, total: 250, sizes: [1], more: true },
    { limit: 100, total: 250, sizes: [100], more: true },
    { limit: 101, total: 250, sizes: [100, 1], more: true },
    { limit: 250, total: 250, sizes: [100, 100, 50], more: false },
    { limit: 300, total: 250, sizes: [100, 100, 100], more: false },
    { limit: Number.POSITIVE_INFINITY, total: 250, sizes: [100, 100, 100], more: false },
    { limit: 10, total: 3, sizes: [10], more: false },
  ])("are $limit of $total in requests of $sizes", async ({ limit, total, sizes, more }) => {
    const { list, queries } = listOf(total);
    const whole = await gatherPages(listPages({}, list, limit), { backward: false });
    expect(numbers(whole)).toEqual(upTo(1, Math.min(limit, total)));
    expect(whole).toMatchObject({ object: "list", url: "/v1/payments", has_more: more });
    expect(queries.map((query) => query.limit)).toEqual(sizes);
  });

  test.each([
    { limit: 120, found: upTo(81, 200), more: true },
    { limit: 200, found: upTo(1, 200), more: false },
    { limit: 500, found: upTo(1, 200), more: false },
  ])("are the $limit before a payment, newest first", async ({ limit, found, more }) => {
    const { list } = listOf(250);
    const whole = await gatherPages(listPages({ ending_before: "pay_201" }, list, limit), {
      backward: true,
    });
    expect(numbers(whole)).toEqual(found);
    expect(whole.has_more).toBe(more);
  });

  test("reports its progress", async () => {
    const { list } = listOf(250);
    const counts: number[] = [];
    await gatherPages(listPages({}, list), {
      backward: false,
      onPage: (count) => counts.push(count),
    });
    expect(counts).toEqual([100, 200, 250]);
  });

  test("fills up from short pages", async () => {
    const { list, queries } = listOf(100, { shortPages: true });
    const whole = await gatherPages(listPages({}, list, 10), { backward: false });
    expect(numbers(whole)).toEqual(upTo(1, 10));
    expect(queries.map((query) => query.limit)).toEqual([10, 5, 2, 1]);
  });
});
