import type { Mutation } from "./mutation.ts";

const store = ["service/store/store"];
const model = ["service/payments/search-model"];

export const mutations: readonly Mutation[] = [
  {
    breaks: "a payment that appears late is not found",
    file: "service/store/search/find-unindexed.ts",
    from: "recent.filter(({ payments, found }) => payments !== found)",
    to: "recent.filter(() => false)",
    tests: store,
  },
  {
    breaks: "a payment that appears late is never indexed",
    file: "service/store/search/find-payments-to-index.ts",
    from: "recent.find(({ payments, found }) => payments !== found)",
    to: "recent.find(() => false)",
    tests: store,
  },
  {
    breaks: "a replica that has lost its lease goes on indexing",
    file: "service/store/sql/search-index-sql.ts",
    from: "WHERE ${ofScope} AND owner = $3 AND indexed_from = $4",
    to: "WHERE ${ofScope} AND (owner = $3 OR 1 = 1) AND indexed_from = $4",
    tests: store,
  },
  {
    breaks: "payments that were indexed meanwhile are indexed as a second segment",
    file: "service/store/sql/search-index-sql.ts",
    from: "AND indexed_to = $5 RETURNING",
    to: "AND $5 = $5 RETURNING",
    tests: ["service/payments/index-payments"],
  },
  {
    breaks: "what a long merge has replaced is deleted while a search reads it",
    file: "service/store/create-search-store.ts",
    from: "inputs, clock())",
    to: "inputs, clock() - 60_000)",
    tests: ["service/payments/index-payments"],
  },
  {
    breaks: "a block that two points have is read twice",
    file: "service/store/search/term-stream.ts",
    from: "return [...unique.values()]",
    to: "return unique.size < 0 ? [] : found.flat()",
    tests: store,
  },
  {
    breaks: "a merge replaces segments after its lease has ended",
    file: "service/store/sql/search-index-sql.ts",
    from: "SET owner = owner WHERE ${ofScope} AND owner = $3",
    to: "SET owner = owner WHERE ${ofScope} AND (owner = $3 OR 1 = 1)",
    tests: ["service/payments/index-payments"],
  },
  {
    breaks: "a payment is not found by the card that its page was paid with",
    file: "service/store/page-transactions.ts",
    from: "recordEvent(scope, payment.id, event) : []),\n    insertChange(scope, payment.id),\n  );\n  return true;",
    to: "recordEvent(scope, payment.id, event) : []),\n  );\n  return true;",
    tests: store,
  },
  {
    breaks: "of payments with the same key only one is found",
    file: "service/store/search/search-payments.ts",
    from: "if (newest === oldestId)",
    to: "if (newest !== undefined)",
    tests: store,
  },
  {
    breaks: "payments of a millisecond are not in the order of their ids",
    file: "service/store/search/search-payments.ts",
    from: "!isSameMs(key, next)",
    to: "key !== undefined",
    tests: model,
  },
  {
    breaks: "payments of the cursor's millisecond are skipped",
    file: "service/store/search/search-keys.ts",
    from: "toKeyMs(below) * tails + tails - 1 : maxKey",
    to: "toKeyMs(below) * tails : maxKey",
    tests: store,
  },
  {
    breaks: "of the payments from before the index one batch is indexed",
    file: "service/store/search/find-payments-to-index.ts",
    from: 'older[room]?.id ?? ""',
    to: 'older[room + 1]?.id ?? ""',
    tests: ["service/store/search-upgrade"],
  },
  {
    breaks: "a payment that is not indexed yet is found whatever its status",
    file: "service/store/search/find-unindexed.ts",
    from: "status === undefined || payment.status === status",
    to: "status !== payment.id",
    tests: ["service/payments/index-payments"],
  },
  {
    breaks: "an indexed payment is found whatever its status",
    file: "service/store/sql/search-sql.ts",
    from: '" AND status = $3"',
    to: '" AND $3 = $3"',
    tests: ["service/payments/index-payments"],
  },
  {
    breaks: "a common term of two segments is found in one of them",
    file: "service/store/search/merge-segments.ts",
    from: "hasMore: end !== Infinity",
    to: "hasMore: false",
    tests: store,
  },
  {
    breaks: "the index is deleted while a search may read it",
    file: "service/payments/index-payments.ts",
    from: "nowMs - retiredForMs",
    to: "nowMs + retiredForMs",
    tests: ["service/payments/index-payments"],
  },
];
