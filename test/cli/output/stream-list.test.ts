import { describe, expect, test } from "vitest";
import type { PaymentList } from "../../../src/contract/list-payments.ts";
import { createStreamWriter, writePages } from "../../../src/cli/output/stream-list.ts";
import { pickFields } from "../../../src/runtime/records.ts";
import { toSafeJson } from "../../../src/runtime/text.ts";
import { paymentNumbers } from "../../testkit/client/scripted-server.ts";

type Format = Parameters<typeof createStreamWriter>[0];
type Layout = Partial<Parameters<typeof createStreamWriter>[1]>;

function page(first: number, count: number, more: object = {}): PaymentList {
  const data = paymentNumbers(first, count, { description: "a\nb \u009B" });
  return { object: "list", url: "/v1/payments", data, has_more: false, ...more };
}

/** Collects the texts that are written as the pages arrive. */
async function writeAll(
  pages: PaymentList[],
  format: Format,
  layout: Layout = {},
): Promise<string> {
  const list = createStreamWriter(format, {
    fields: undefined,
    columns: ["id"],
    indented: false,
    ...layout,
  });
  const texts: string[] = [];
  await writePages(inTurn(pages), list, async (text) => void texts.push(text));
  return texts.join("");
}

async function* inTurn<T>(all: T[]): AsyncGenerator<T> {
  yield* all;
}

describe.each([false, true])("a List streamed as JSON (indented: %s)", (indented) => {
  test.each([
    ["no payments", [page(1, 0)]],
    ["one", [page(1, 1)]],
    ["a page", [page(1, 3, { has_more: true })]],
    ["several pages", [page(1, 2, { has_more: true }), page(3, 2), page(5, 1)]],
    ["an empty page at the end", [page(1, 2, { has_more: true }), page(3, 0)]],
    ["an empty page at the start", [page(1, 0, { has_more: true }), page(1, 2)]],
  ])("of %s is byte by byte the whole one", async (_, pages) => {
    const data = pages.flatMap((each) => each.data);
    const whole = toSafeJson({ ...pages.at(-1), data }, { indented });
    expect(await writeAll(pages, "json", { indented })).toBe(`${whole}\n`);
  });

  test("has only the requested fields", async () => {
    const fields = ["amount", "card.last4"];
    const data = page(1, 3).data.map((payment) => pickFields(payment, fields));
    expect(await writeAll([page(1, 1), page(2, 2)], "json", { indented, fields })).toBe(
      `${toSafeJson({ ...page(1, 0), data }, { indented })}\n`,
    );
  });

  test("has the API's other values as on the last page", async () => {
    const later = { cost: 1, "0": { data: [] }, total: { count: 3 } };
    const pages = [page(1, 2, { ...later, cost: 2, has_more: true }), page(3, 1, later)];
    const text = await writeAll(pages, "json", { indented });
    expect(JSON.parse(text)).toEqual({ ...page(1, 3), ...later });
    const early = { cost: 1, ...page(1, 1) };
    expect(JSON.parse(await writeAll([early], "json", { indented }))).toEqual(early);
  });
});

test("a list streamed as CSV has a heading", async () => {
  expect(await writeAll([page(1, 1), page(2, 1)], "csv", { columns: ["amount", "currency"] })).toBe(
    "amount,currency\n4999,eur\n4999,eur\n",
  );
  expect(await writeAll([page(1, 0)], "csv")).toBe("id\n");
});

test("a list streamed as JSON lines has a line for each payment, with the requested fields", async () => {
  const fields = ["currency"];
  expect(await writeAll([page(1, 1), page(2, 1)], "ndjson", { fields, indented: true })).toBe(
    '{"currency":"eur"}\n{"currency":"eur"}\n',
  );
  expect(await writeAll([page(1, 0)], "ndjson")).toBe("");
});
