import { expect, test } from "vitest";
import { createHttpTransactions } from "../../../src/service/networks/http-network.ts";
import {
  listPages,
  type NetworkTransaction,
} from "../../../src/service/networks/network-transactions.ts";
import { drop, json, scriptedServer, type Answer } from "../../testkit/client/scripted-server.ts";

const range = { from: 1_793_491_200, to: 1_796_083_200 };
const charge = { type: "charge", amount: 4999, currency: "eur", created: 1_793_500_000 };
const pageWith = (next: string | null, ...data: object[]): Answer =>
  json(200, { data, next_cursor: next });

/** Lists the transactions of an adapter that answers in turn; the last answer is repeated. */
async function list(...answers: Answer[]) {
  const server = await scriptedServer(...answers);
  const source = createHttpTransactions({ url: server.url, secret: "secret", version: "1.2.3" });
  const { signal } = new AbortController();
  const options = { name: "The adapter", signal, wait: async () => undefined };
  const all: NetworkTransaction[] = [];
  try {
    for await (const page of listPages(source, range, options)) all.push(...page);
    return { all, error: "", requests: server.requests };
  } catch (error) {
    return { all, error: (error as Error).message, requests: server.requests };
  }
}

test("the pages of an adapter's transactions are read by their cursors", async () => {
  const [one, two] = [
    { ...charge, payment: "pay_1" },
    { ...charge, payment: null, type: "other", note: "ignored" },
  ];
  const { all, error, requests } = await list(pageWith("a b", one), pageWith(null, two));
  expect(error).toBe("");
  expect(all).toEqual([one, { ...charge, payment: "", type: "other" }]);
  const query = "from=1793491200&to=1796083200";
  expect(requests.map(({ path }) => path)).toEqual([
    `/transactions?${query}`,
    `/transactions?${query}&cursor=a+b`,
  ]);
  expect(requests[0]?.headers["authorization"]).toBe("Bearer secret");
});

test("a page that is lost is asked for again", async () => {
  const { all, requests } = await list(
    drop,
    json(503, {}),
    pageWith(null, { ...charge, payment: "pay_1" }),
  );
  expect([all.length, requests.length]).toEqual([1, 3]);
});

test.each<[what: string, answer: Answer, error: RegExp, requests: number]>([
  [
    "where it has none",
    json(404, { outcome: "unknown" }),
    /not offer its transactions \(HTTP 404\)/,
    1,
  ],
  ["where it refuses the secret", json(401, {}), /refused the secret \(HTTP 401\)/, 1],
  ["where it goes on failing", json(500, {}), /HTTP 500/, 4],
  ["at a body that is none", json(200, { data: [] }), /breaks the protocol/, 1],
  [
    "at a type that is none",
    pageWith(null, { ...charge, payment: "p", type: "sale" }),
    /breaks the protocol/,
    1,
  ],
  [
    "at a negative amount",
    pageWith(null, { ...charge, payment: "p", amount: -1 }),
    /breaks the protocol/,
    1,
  ],
  ["at the same page again", pageWith("a"), /the same page again/, 2],
])("an adapter's transactions end %s", async (_, answer, error, requests) => {
  const listed = await list(answer);
  expect(listed.error).toMatch(error);
  expect(listed.requests).toHaveLength(requests);
});
