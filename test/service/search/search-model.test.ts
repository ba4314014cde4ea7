import * as fc from "fast-check";
import { expect, inject, onTestFinished, test } from "vitest";
import { openEmptyStore } from "../../testkit/database/open-database.ts";
import {
  hppExpiryMs,
  openTestService,
  processingTimeMs,
} from "../../testkit/service/open-test-service.ts";
import {
  type SearchedService,
  anyDraft,
  anyQuery,
  openSearched,
  toSentQuery,
} from "../../testkit/service/searched-payments.ts";

// PAYMENTS_QUERIES=20000 asks more. A failure prints its seed and path for fc.assert; the second test takes its seed as
// PAYMENTS_SEED, and makes its payments from it.
const isOnPostgres = inject("postgresUrl") !== undefined;
const queries = Number(process.env["PAYMENTS_QUERIES"] ?? (isOnPostgres ? 80 : 200));
const timeout = 300_000 + queries * 100;
const dayMs = 24 * 60 * 60 * 1_000;

const queriesAStory = 10;

const change = fc.record({
  does: fc.constantFrom(
    "create",
    "create",
    "host",
    "late",
    "pay",
    "pay",
    "cancel",
    "refund",
    "wait",
    "index",
    "cut",
    "race",
  ),
  drafts: fc.array(anyDraft, { minLength: 1, maxLength: 4 }),
  which: fc.nat(),
  isLive: fc.nat({ max: 4 }).map((n) => n === 0),
  number: fc.constantFrom("4242424242424242", "5555555555554444", "4000000000009995"),
  waitMs: fc.constantFrom(processingTimeMs, processingTimeMs, 5_000, hppExpiryMs, dayMs),
});
const asked = fc.record({ query: anyQuery, isLive: fc.nat({ max: 4 }).map((n) => n === 0) });
const story = fc.record({
  first: fc.array(anyDraft, { minLength: 12, maxLength: 12 }),
  steps: fc.array(fc.record({ changes: fc.array(change, { minLength: 1, maxLength: 4 }), asked }), {
    minLength: queriesAStory,
    maxLength: queriesAStory,
  }),
});
type Change = typeof change extends fc.Arbitrary<infer C> ? C : never;

async function apply(searched: SearchedService, { does, drafts, which, isLive, ...rest }: Change) {
  const all = searched.list(isLive);
  const pages = all.filter(({ redirect_url: url }) => url !== null);
  const [payment, page] = [all[which % all.length], pages[which % pages.length]];
  const createAll = async () =>
    Promise.all(drafts.map(async (draft) => searched.create(draft, "card", isLive)));
  switch (does) {
    case "create":
      return createAll();
    case "host":
      return drafts[0] && searched.create(drafts[0], "page", isLive);
    case "late":
      return drafts[0] && searched.createLate(drafts[0], which, isLive);
    case "pay":
      return page && searched.pay(page, rest.number);
    case "cancel":
      return page && searched.cancel(page);
    case "refund":
      return payment && searched.refund(payment, isLive);
    case "wait":
      searched.time.nowMs += rest.waitMs;
      return searched.settle();
    case "index":
      searched.time.nowMs += which % 500;
      return searched.index({ isOther: which % 4 === 0 });
    case "cut": {
      const ended = new AbortController();
      const indexing = searched.index({ signal: ended.signal });
      ended.abort();
      return indexing;
    }
    case "race":
      return Promise.all([
        createAll(),
        searched.index(),
        payment && searched.refund(payment, isLive),
      ]);
    default:
      return does satisfies never;
  }
}

test(
  "a search finds what a look through all payments finds, after any changes and any steps of the index",
  { timeout },
  async () => {
    let found = 0;
    const property = fc.asyncProperty(story, async ({ first, steps }) => {
      const { store, driver, giveBack } = await openEmptyStore();
      const searched = openSearched(await openTestService({ store }), driver);
      const end = async () => searched.idle().then(giveBack);
      const check = async () => {
        for (const draft of first) await searched.create(draft, "card", false);
        for (const {
          changes,
          asked: { query, isLive },
        } of steps) {
          for (const each of changes) await apply(searched, each);
          await searched.refresh();
          const sent = toSentQuery(query, searched.list(isLive));
          const indexing = query.of % 2 === 0 ? searched.index() : undefined;
          if (sent) found += await searched.compare(sent, isLive);
          await indexing;
        }
      };
      await check().finally(end);
    });
    await fc.assert(property, { numRuns: Math.ceil(queries / 2 / queriesAStory) });
    expect(found).toBeGreaterThan(0);
  },
);

test(
  "a search finds what a look through all payments finds, among many payments of many days",
  { timeout },
  async () => {
    const { store, driver, giveBack } = await openEmptyStore();
    onTestFinished(giveBack);
    const searched = openSearched(await openTestService({ store }), driver);
    const seed = Number(process.env["PAYMENTS_SEED"] ?? Date.now() % 2 ** 31);
    const count = isOnPostgres ? 600 : 1_500;
    for (const [index, draft] of fc.sample(anyDraft, { numRuns: count, seed }).entries()) {
      await searched.create(draft, index % 5 === 0 ? "page" : "card", index % 7 === 0);
      searched.time.nowMs += (index * 7_919) % 600_000;
      if (index % 200 === 199) await searched.index();
    }
    await searched.settle();
    await searched.refresh();
    let found = 0;
    const property = fc.asyncProperty(asked, change, async ({ query, isLive }, each) => {
      const sent = toSentQuery(query, searched.list(isLive));
      if (sent) found += await searched.compare(sent, isLive);
      if (each.which % 5 > 0) return;
      await apply(searched, each);
      await searched.refresh();
    });
    await fc.assert(property, { seed, numRuns: queries, endOnFailure: true });
    await searched.idle();
    expect(found).toBeGreaterThan(queries / 2);
  },
);
