import { describe, expect, test } from "vitest";
import {
  type FoundPayments,
  type PaymentSource,
  type SearchTiming,
  createNewestPayments,
  createPaymentSearch,
} from "../../../src/cli/prompts/search-history.ts";
import { ApiError, ConnectionError, ModeMismatchError } from "../../../src/client/errors.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import { paymentWith } from "../../testkit/api-objects.ts";
import { body, runningService } from "../../testkit/client/running-service.ts";
import { envelopeError } from "../../testkit/client/scripted-server.ts";
import { createPages } from "../../testkit/command/scripted-prompter.ts";
import { someKeys } from "../../testkit/temporary.ts";

const atOnce: SearchTiming = { pauseMs: 0, lateMs: 600_000 };
const whole = "The whole history has been searched, for whole words and beginnings of names.";

/** Payments numbered from the newest on, a second apart. */
function numbered(count: number): Payment[] {
  return Array.from({ length: count }, (_, at) =>
    paymentWith({ id: `pay_${at}`, description: `Order ${at}`, created: 10_000 - at }),
  );
}

/** A search of the newest payments, whose history is searched by `searchHistory`. */
function searchWith(newest: Payment[], searchHistory: PaymentSource["pages"]) {
  const loaded = createNewestPayments(createPages(newest).pages());
  const find = createPaymentSearch(loaded, { pages: searchHistory }, atOnce);
  return async (typed: string) => {
    await loaded.find("", 1);
    return await Array.fromAsync(find(typed, new AbortController().signal));
  };
}

/** A history in which the service finds pages of payments. */
function historyOf(...pages: { data: Payment[]; has_more: boolean }[]): PaymentSource["pages"] {
  return async function* () {
    for (const page of pages) yield { object: "list", url: "/v1/payments", ...page };
  };
}

/** A history of which the search fails, and how often it was searched. */
function failingWith(error: Error) {
  let count = 0;
  // oxlint-disable-next-line require-yield
  const pages: PaymentSource["pages"] = async function* () {
    count += 1;
    throw error;
  };
  return { pages, count: () => count };
}

const idsOf = (results: FoundPayments[]) =>
  results.map(({ payments }) => payments.map(({ id }) => id));

describe("a search of all payments", () => {
  const service = runningService();

  test("asks for succeeded payments with the typed words, of which there are at most 100", async () => {
    const calls: unknown[] = [];
    const search = searchWith([paymentWith()], (query, total) => {
      calls.push([query, total]);
      return historyOf({ data: [], has_more: false })({});
    });
    await search("  ada  books ");
    expect(calls).toEqual([[{ search: "ada  books" }, 100]]);
  });

  test("shows first what is found among the newest, then all in one list, the newest first", async () => {
    const newest = numbered(3);
    const [first, second] = newest as [Payment, Payment];
    const between = paymentWith({ id: "pay_0x", created: first.created });
    const old = paymentWith({ id: "pay_old", created: 1 });
    const search = searchWith(
      newest,
      historyOf({ data: [between, second], has_more: true }, { data: [old], has_more: false }),
    );
    const results = await search("order");
    expect(idsOf(results)[0]).toEqual(["pay_0", "pay_1", "pay_2"]);
    expect(results[0]).toMatchObject({ note: "Searching all payments …", isPartial: true });
    expect(idsOf(results).at(-1)).toEqual(["pay_0x", "pay_0", "pay_1", "pay_2", "pay_old"]);
    expect(results.at(-1)).toMatchObject({ note: whole, isPartial: false });
  });

  test("shows each page as it arrives", async () => {
    const second = Promise.withResolvers<void>();
    const find = createPaymentSearch(
      createNewestPayments(createPages([]).pages()),
      {
        pages: async function* () {
          yield { object: "list", url: "/v1/payments", data: [paymentWith()], has_more: true };
          await second.promise;
          yield { object: "list", url: "/v1/payments", data: numbered(1), has_more: false };
        },
      },
      atOnce,
    );
    const counts: number[] = [];
    for await (const { payments } of find("ada", new AbortController().signal)) {
      counts.push(payments.length);
      if (payments.length === 1) second.resolve();
    }
    expect(counts).toContain(1);
    expect(counts.at(-1)).toBe(2);
  });

  test("notes that more than 100 match", async () => {
    const search = searchWith([], historyOf({ data: numbered(100), has_more: true }));
    const last = (await search("order")).at(-1);
    expect(last?.payments).toHaveLength(100);
    expect(last?.note).toBe("Only the newest 100 of them are shown.");
  });

  test("finds in a service what stands in no text of the newest", async () => {
    const { payments } = service.client();
    const { id } = await payments.create({ ...body, metadata: { order: "ORD-1001" } });
    const newest = createNewestPayments(payments.pages({ status: "succeeded" }));
    const find = createPaymentSearch(newest, payments, atOnce);
    const results = await Array.fromAsync(find("ord-1001 4242", new AbortController().signal));
    expect(idsOf(results).at(-1)).toEqual([id]);
  });
});

describe("the newest payments are searched alone", () => {
  test.each([
    ["", undefined],
    ["4242 4242 4242 4242", "Card numbers are not sent: type the last four digits."],
    ["--", "Searched the newest 1,000. Older ones cannot be searched for this text."],
    [someKeys.test, "Searched the newest 1,000. Older ones cannot be searched for this text."],
  ])("for %j, which is not sent", async (typed, note) => {
    const source = createPages(numbered(1_200));
    const search = searchWith(numbered(1_200), source.pages);
    expect((await search(typed)).at(-1)?.note).toBe(note);
    expect(source.searches).toEqual([]);
  });

  test("once a service of an older version has refused a search, which is not asked again", async () => {
    const code = "parameter_unknown";
    const older = failingWith(new ApiError(400, { error: { ...envelopeError, code } }));
    const search = searchWith(numbered(1_200), older.pages);
    const note =
      "Searched the newest 1,000. This service cannot search older ones, but finds one by its whole id.";
    for (const typed of ["violin", "cello"]) {
      expect((await search(typed)).at(-1)).toEqual({ payments: [], isPartial: false, note });
    }
    expect(older.count()).toBe(1);
    const shown = (await search("order")).at(-1);
    expect(shown?.payments).toHaveLength(100);
    expect(shown?.note).toBe(note);
    const few = searchWith(numbered(3), older.pages);
    expect((await few("violin")).at(-1)?.note).toBe("Nothing matches.");
  });

  test.each([
    ["an index that is being built", new ApiError(503, { error: envelopeError }), "It went wrong."],
    ["a lost connection", new ConnectionError("Lost.\u001B[2J", new Error("reset")), "Lost.�[2J"],
    ["a refused text", new ApiError(400, { error: envelopeError }), "It went wrong."],
  ])("after %s, and the next text is searched again", async (_, error, reason) => {
    const failing = failingWith(error);
    const search = searchWith(numbered(1_200), failing.pages);
    const last = (await search("order 7")).at(-1);
    expect(last?.payments.map(({ id }) => id).slice(0, 2)).toEqual(["pay_7", "pay_17"]);
    expect(last?.note).toBe(
      `Searched the newest 100; older ones cannot be searched now: ${reason}`,
    );
    await search("order 8");
    expect(failing.count()).toBe(2);
  });

  test.each([
    new ModeMismatchError("test", undefined),
    new ApiError(401, { error: envelopeError }),
    new Error("A mistake of the program."),
  ])("no longer after a failure that nothing can be trusted after: %s", async (error) => {
    await expect(searchWith([paymentWith()], failingWith(error).pages)("ada")).rejects.toBe(error);
  });
});

describe("a slow search", () => {
  test("is no longer waited for, but still arrives", async () => {
    const answer = Promise.withResolvers<void>();
    const old = paymentWith({ id: "pay_old", created: 1 });
    const find = createPaymentSearch(
      createNewestPayments(createPages(numbered(3)).pages()),
      {
        pages: async function* () {
          await answer.promise;
          yield* historyOf({ data: [old], has_more: false })({});
        },
      },
      { pauseMs: 0, lateMs: 0 },
    );
    const notes: (string | undefined)[] = [];
    for await (const { note, isPartial } of find("order", new AbortController().signal)) {
      notes.push(note);
      if (!isPartial) answer.resolve();
    }
    expect(notes).toContain("Searched the newest 3; the search of all payments takes long …");
    expect(notes.at(-1)).toBe(whole);
  });

  test("ends when the user types on: the request is canceled, and nothing is asked during a pause", async () => {
    const typing = new AbortController();
    const source = createPages([paymentWith()]);
    const newest = createNewestPayments(source.pages());
    const paused = createPaymentSearch(newest, source, { pauseMs: 600_000, lateMs: 0 });
    for await (const _ of paused("ada", typing.signal)) typing.abort();
    expect(source.searches).toEqual([]);

    const later = new AbortController();
    const canceled = Promise.withResolvers<void>();
    const waiting = createPaymentSearch(
      newest,
      {
        // oxlint-disable-next-line require-yield
        pages: async function* (_, __, { signal } = {}) {
          signal?.addEventListener("abort", () => canceled.resolve());
          later.abort();
          await canceled.promise;
          signal?.throwIfAborted();
        },
      },
      atOnce,
    );
    await Array.fromAsync(waiting("ada", later.signal));
    await canceled.promise;
  });
});

const ada = paymentWith({
  id: "pay_0199c5a8-7f3e-7abc-9def-0123456789ab",
  amount: 4999,
  customer: { email: "ada@Example.com", name: "Ada Lovelace" },
  description: "Two books, é",
});

async function findBy(typed: string, payment: Payment = ada): Promise<boolean> {
  const { payments } = await createNewestPayments(createPages([payment]).pages()).find(typed, 10);
  return payments.length > 0;
}

describe("a payment is found by", () => {
  test.each([
    "",
    "pay_0199c5a8-7f3e-7abc-9def-0123456789ab",
    "9def",
    "ADA@example",
    "lovelace",
    "two BOOKS",
    "books ada 49.99",
    "  eur   4999 ",
    "49.99",
    "E\u0301",
  ])("%j", async (typed) => {
    expect(await findBy(typed)).toBe(true);
  });

  test.each([
    ["Zoë Müller", ["mull", "muell", "zoe mue", "MÜL"]],
    ["Seán O’Brien-Weiß", ["o'brien", "O`Bri", "sean", "weiss", "brien & weiß"]],
    ["Smith & Sons", ["smith & sons", "Smith – sons", "&"]],
  ])("%s by what people type: %j", async (name, all) => {
    const payment = { ...ada, customer: { email: "", name } };
    for (const typed of all) expect([typed, await findBy(typed, payment)]).toEqual([typed, true]);
    expect(await findBy("moller", payment)).toBe(false);
  });

  test.each(["bob", "ada bob", "50.00", "4242", "visa", "com lovelace,"])(
    "no part of %j",
    async (typed) => {
      expect(await findBy(typed)).toBe(false);
    },
  );

  test("its other texts if one is empty", async () => {
    const bare = paymentWith({ description: null, customer: { email: "", name: "" }, amount: 5 });
    expect(await findBy("0.05", bare)).toBe(true);
    expect(await findBy("null", bare)).toBe(false);
  });
});

function numberedPayment(count: number): Payment[] {
  return Array.from({ length: count }, (_, at) =>
    paymentWith({ id: `pay_${at}`, customer: { email: `c${at}@example.com`, name: "" } }),
  );
}

describe("pages are loaded", () => {
  test("only while too few match", async () => {
    const source = createPages(numberedPayment(350));
    const recent = createNewestPayments(source.pages());
    expect((await recent.find("", 10)).payments).toHaveLength(100);
    expect(source.loaded()).toBe(1);
    expect((await recent.find("c15", 10)).payments).toHaveLength(11);
    expect(source.loaded()).toBe(2);
    expect((await recent.find("c349@", 10)).payments).toHaveLength(1);
    expect(source.loaded()).toBe(4);
    await recent.find("nothing like it", 10);
    expect(source.loaded()).toBe(4);
  });

  test("up to 1,000 payments, and the result says that there are older ones", async () => {
    const source = createPages(numberedPayment(1_200));
    const recent = createNewestPayments(source.pages());
    expect(await recent.find("nothing like it", 10)).toEqual({
      payments: [],
      searched: 1_000,
      hasOlder: true,
    });
    expect(source.loaded()).toBe(10);
  });

  test("once for two concurrent searches", async () => {
    const source = createPages(numberedPayment(100));
    const recent = createNewestPayments(source.pages());
    await Promise.all([recent.find("a", 10), recent.find("ab", 10)]);
    expect(source.loaded()).toBe(1);
  });

  test("no more once the search is aborted", async () => {
    const source = createPages(numberedPayment(1_000));
    const recent = createNewestPayments(source.pages());
    const waiting = new AbortController();
    const matches = recent.find("nothing like it", 10, waiting.signal);
    waiting.abort();
    expect((await matches).payments).toEqual([]);
    expect(source.loaded()).toBe(1);
  });

  test("not at all if the loaded payments suffice", async () => {
    const source = createPages(numberedPayment(100));
    await createNewestPayments(source.pages()).find("pay_1", 0);
    expect(source.loaded()).toBe(0);
  });
});
