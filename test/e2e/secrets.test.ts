import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import {
  createKey,
  runBuiltPayments,
  startServing,
  createTemporaryFolder,
} from "../testkit/command/installed-command.ts";

const cards = ["4242424242424242", "4000000000000069", "5555555555554444", "4111111111111111"];
/** A card with a four-digit code. */
const amex = "378282246310005";
const cvc = "9173";
/** The code as a word: as a part of an id or a time the digits mean nothing. */
const code = new RegExp(`(?<![0-9a-f-])${cvc}(?![0-9a-f-])`);

describe("the stored data of a card", () => {
  it("has no number and no security code in the database, the logs, or standard error", async () => {
    const home = createTemporaryFolder();
    const { key } = await createKey(home);
    const service = await startServing(home, "--log-level", "trace", "--processing-time", "10ms");
    const written: string[] = [];
    for (const number of cards) {
      const answer = await post(service.url, key, { number, exp_month: 1, exp_year: 2040, cvc });
      written.push(await answer.text());
    }
    for (const card of mistakes()) {
      const answer = await post(service.url, key, card);
      expect(answer.status).toBe(400);
      written.push(await answer.text());
    }
    for (const number of [...cards, amex]) {
      const page = await hostedPage(service.url, key);
      for (const typed of formsWith(number)) {
        const body = new URLSearchParams(typed);
        const answer = await fetch(page, { method: "POST", body, redirect: "manual" });
        written.push(await answer.text());
      }
      const paid = await (await fetch(page)).text();
      expect(paid).toMatch(/<main class="outcome (?:paid|processing|declined)">/);
      written.push(paid);
    }
    const embedded = await runBuiltPayments(
      home,
      "create",
      "--card-file",
      cardFile(home),
      "--amount",
      "5",
      "--currency",
      "eur",
    );
    expect(embedded.status).toBe(0);
    await service.kill("SIGTERM");
    const files = filesBelow(home).filter((file) => !file.endsWith("card.json"));
    expect(files.some((file) => file.endsWith("payments.db"))).toBe(true);
    const all = [
      ...files.map((file) => readFileSync(file, "latin1")),
      ...written,
      service.log(),
      embedded.stderr,
    ];
    for (const number of [...cards, amex])
      expect(all.filter((text) => text.includes(number))).toEqual([]);
    for (const text of [service.log(), embedded.stderr, ...written]) {
      expect(text).not.toMatch(code);
    }
    const values = valuesIn(join(home, ".local/share/payments/payments.db"));
    expect(values.length).toBeGreaterThan(50);
    expect(values.filter((value) => code.test(value))).toEqual([]);
    expect(service.log()).toContain('"route":"/v1/payments"');
    expect(service.log()).toContain('"route":"/pay/:token"');
  });

  it("has a key's hash, never the key", async () => {
    const home = createTemporaryFolder();
    const { key } = await createKey(home);
    for (const file of filesBelow(home)) expect(readFileSync(file, "latin1")).not.toContain(key);
  });
});

/** Card data where it does not belong. */
function mistakes(): object[] {
  return [
    { number: "4242424242424241", exp_month: 1, exp_year: 2040, cvc },
    { number: cards[0], exp_month: 13, exp_year: 2040, cvc },
    { number: cards[0], exp_month: 1, exp_year: 2040, cvc, [cards[1] ?? ""]: cvc },
    { number: Number(cards[0]), exp_month: 1, exp_year: 2040, cvc },
  ];
}

/** Forms of a payment page: four with mistakes, and one that pays. */
function formsWith(number: string): Record<string, string>[] {
  const right = { number, expiry: "01/40", cvc: number === amex ? cvc : "917", name: "Ada" };
  return [
    { ...right, number: `${number}1`, cvc },
    { ...right, cvc: `${cvc}5` },
    { ...right, cvc, name: number },
    { ...right, cvc, expiry: number },
    right,
  ];
}

async function hostedPage(url: string, key: string): Promise<string> {
  const answer = await fetch(`${url}/v1/payments/hpp`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ amount: 4999, currency: "eur", return_url: "https://shop.example" }),
  });
  return ((await answer.json()) as { redirect_url: string }).redirect_url;
}

function cardFile(home: string): string {
  const file = join(home, "card.json");
  writeFileSync(file, JSON.stringify({ number: cards[0], exp_month: 1, exp_year: 2040, cvc }));
  return file;
}

async function post(url: string, key: string, card: object): Promise<Response> {
  return await fetch(`${url}/v1/payments`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ amount: 4999, currency: "eur", card }),
  });
}

/** Every column of every row of every table, as text. */
function valuesIn(file: string): string[] {
  const database = new DatabaseSync(file, { readOnly: true });
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const rows = tables.flatMap(({ name }) =>
    database.prepare(`SELECT * FROM "${String(name)}"`).all(),
  );
  database.close();
  return rows.flatMap((row) => Object.values(row).map(String));
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile());
}
