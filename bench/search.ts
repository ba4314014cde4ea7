import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client as PostgresClient } from "pg";
import { Client } from "undici";
import type { Payment } from "../src/service/payments/payment-state.ts";
import { startPostgres } from "../test/testkit/database/start-postgres.ts";
import { type Figure, median } from "./figure.ts";
import { loadPayments } from "./load-payments.ts";
import { measureIndexBytes, waitUntilIndexed } from "./search-progress.ts";
import {
  createSearchedPayments,
  regularEmail,
  words,
  type SearchedPayments,
} from "./searched-payments.ts";
import { startPayments, stop } from "./service-process.ts";

/** PAYMENTS_SEARCH_SIZE=200000 tries it with fewer. */
const large = Number(process.env["PAYMENTS_SEARCH_SIZE"] ?? 10_000_000);
const small = Math.min(10_000, large);
const rounds = 100;
const limit = 10;
const maxIndexBytes = 700;
const maxTogetherMs = 250;
const hourMs = 60 * 60 * 1_000;

type Case = {
  what: string;
  parameters: Record<string, string>;
  /** Whether a payment has what is searched; undefined where only one has it, and so there is only one page. */
  matches: ((payment: Payment) => boolean) | undefined;
};

/** Every parameter alone, and a word of each kind. */
function listCases(payments: SearchedPayments): Case[] {
  const one = Math.floor(payments.count / 3);
  const search = (word: string, matches: Case["matches"]): Case => ({
    what: `search=${word}`,
    parameters: { search: word },
    matches,
  });
  const byParameter = (name: string, value: string, matches: Case["matches"]): Case => ({
    what: `${name}=${value}`,
    parameters: { [name]: value },
    matches,
  });
  const orderId = payments.createOrderId(one);
  return [
    byParameter("customer[email]", regularEmail, ({ customer }) => customer.email === regularEmail),
    byParameter("card[last4]", "4242", ({ card }) => card?.last4 === "4242"),
    byParameter("card[brand]", "jcb", ({ card }) => card?.brand === "jcb"),
    byParameter("card[brand]", "visa", ({ card }) => card?.brand === "visa"),
    byParameter("amount", "4999", ({ amount }) => amount === 4999),
    byParameter("currency", "eur", ({ currency }) => currency === "eur"),
    byParameter("currency", "gbp", ({ currency }) => currency === "gbp"),
    byParameter(
      "decline_code",
      "expired_card",
      ({ decline_code: code }) => code === "expired_card",
    ),
    { ...byParameter("metadata[order_id]", orderId, undefined), what: "metadata[order_id], one" },
    byParameter("metadata[plan]", "gold", ({ metadata }) => metadata["plan"] === "gold"),
    search(words.rare, hasWord(words.rare)),
    search(words.common, hasWord(words.common)),
    search(words.ubiquitous, hasWord(words.ubiquitous)),
    search("mail.example", ({ customer }) => customer.email.endsWith("@mail.example")),
    search("ann", hasBeginning("ann")),
    search("yanni", hasBeginning("yanni")),
    search("regular.cust", hasBeginning("regular.cust")),
    search(regularEmail, ({ customer }) => customer.email === regularEmail),
    search("49,99 €", ({ amount, currency }) => amount === 4999 && currency === "eur"),
    { ...search(payments.createId(one).slice(-12), undefined), what: "search, the end of an id" },
    { ...search(`ORD-${one}`, undefined), what: "search, an order number" },
  ];
}

/** The queries for the first page of each case, one in the middle and the last, and how many payments they find. */
function listQueries(payments: SearchedPayments) {
  return listCases(payments).flatMap(({ what, parameters, matches }) => {
    const query = { ...parameters, limit: String(limit) };
    if (matches === undefined) return [{ what, query, expected: 1 }];
    const findId = (from: number, step: 1 | -1, nth: number) => {
      for (let index = from, found = 0; index >= 0 && index < payments.count; index += step) {
        const payment = payments.create(index);
        if (matches(payment) && ++found === nth) return payment.id;
      }
      throw new Error(`Too few payments have ${what}.`);
    };
    const middle = findId(Math.floor(payments.count / 2), -1, 1);
    const last = findId(0, 1, limit + 1);
    return [
      { what: `${what}, first page`, query, expected: limit },
      {
        what: `${what}, middle page`,
        query: { ...query, starting_after: middle },
        expected: limit,
      },
      { what: `${what}, last page`, query: { ...query, starting_after: last }, expected: limit },
    ];
  });
}

/** Of the customer's name, or of the address. */
function hasBeginning(word: string): (payment: Payment) => boolean {
  return ({ customer: { name, email } }) =>
    [email, ...name.toLowerCase().split(" ")].some((each) => each.startsWith(word));
}

function hasWord(word: string): (payment: Payment) => boolean {
  return ({ description }) => description?.toLowerCase().split(" ").includes(word) ?? false;
}

/** The cost of a search among many payments against its cost among few, on SQLite. */
export async function measureSearch(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "payments-bench-"));
  const figures = await measureDatabases(
    "SQLite",
    (name) => `sqlite:${join(folder, `${name}.db`)}`,
  );
  rmSync(folder, { recursive: true });
  return figures;
}

/** The same on PostgreSQL. */
export async function measureSearchOnPostgres(): Promise<Figure[]> {
  const postgres = await startPostgres(["shared_buffers=512MB", "max_wal_size=4GB"]);
  const client = new PostgresClient(postgres.url);
  await client.connect();
  for (const name of ["small", "large"]) await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const figures = await measureDatabases("PostgreSQL", (name) =>
    postgres.url.replace(/\/postgres$/, `/${name}`),
  );
  await postgres.stop();
  return figures;
}

async function measureDatabases(
  engine: string,
  locate: (name: "small" | "large") => string,
): Promise<Figure[]> {
  const few = await open(locate("small"), small);
  const many = await open(locate("large"), large);
  const figures = [toBytesFigure(engine, many.indexBytes)];
  const queriesOfFew = listQueries(few.payments);
  for (const [index, { what, query, expected }] of listQueries(many.payments).entries()) {
    const timesMs: Record<"few" | "many", number[]> = { few: [], many: [] };
    for (let round = -5; round < rounds; round++) {
      const fewMs = await few.request(queriesOfFew[index]?.query ?? {}, expected);
      const manyMs = await many.request(query, expected);
      if (round < 0) continue; // warms up
      timesMs.few.push(fewMs);
      timesMs.many.push(manyMs);
    }
    const [fewMs, manyMs] = [median(timesMs.few), median(timesMs.many)];
    figures.push({
      what: `${engine}, ${what}`,
      ours: `of ${large}: ${manyMs.toFixed(2)} ms`,
      compared: `of ${small}: ${fewMs.toFixed(2)} ms`,
      ratio: manyMs / fewMs,
      floor: "≤ 1.5",
    });
  }
  figures.push(await measureTogether(engine, many));
  await Promise.all([few.close(), many.close()]);
  return figures;
}

type Opened = Awaited<ReturnType<typeof open>>;

/** A service on a new database with payments, all of which are in the index. */
async function open(database: string, count: number) {
  const payments = createSearchedPayments(count, Date.now() - 3 * hourMs);
  const startMs = performance.now();
  await loadPayments(database, payments);
  console.log(
    `${count} payments, loaded in ${Math.round((performance.now() - startMs) / 1_000)} s`,
  );
  const service = await startPayments(database);
  await waitUntilIndexed(service, database, { count, oldWord: words.rare });
  const indexBytes = (await measureIndexBytes(database)) / count;
  const client = new Client(service.url, { pipelining: 1 });
  const headers = { authorization: `Bearer ${service.key}` };
  return {
    payments,
    indexBytes,
    /** The milliseconds of a request, which has to find `expected` payments. */
    request: async (query: Record<string, string>, expected: number) => {
      const path = `/v1/payments?${new URLSearchParams(query).toString()}`;
      const startedMs = performance.now();
      const { body, statusCode } = await client.request({ method: "GET", path, headers });
      const text = await body.text();
      const ms = performance.now() - startedMs;
      const found = statusCode === 200 && (JSON.parse(text) as { data: unknown[] }).data.length;
      if (found !== expected) throw new Error(`${path}: ${statusCode} ${text.slice(0, 300)}`);
      return ms;
    },
    close: async () => {
      await client.close();
      await stop(service);
    },
  };
}

function toBytesFigure(engine: string, bytes: number): Figure {
  return {
    what: `${engine}, the index on disk, a payment`,
    ours: `${Math.round(bytes)} B`,
    compared: `${maxIndexBytes} B`,
    ratio: bytes / maxIndexBytes,
    floor: "≤ 1",
  };
}

/** Two words, of which each stands in a tenth of the payments, and both together in ten. */
async function measureTogether(engine: string, { request }: Opened): Promise<Figure> {
  const timesMs: number[] = [];
  const query = { search: `${words.common} ${words.otherCommon}`, limit: "100" };
  for (let round = 0; round < 20; round++) timesMs.push(await request(query, words.togetherCount));
  const ms = median(timesMs);
  return {
    what: `${engine}, two words of ${large / 10} payments each, both in ${words.togetherCount}`,
    ours: `${ms.toFixed(1)} ms, at most ${Math.max(...timesMs).toFixed(1)} ms`,
    compared: `${maxTogetherMs} ms`,
    ratio: ms / maxTogetherMs,
    floor: "≤ 1",
  };
}
