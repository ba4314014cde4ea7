import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readReport } from "../../../src/cli/reconcile/read-report.ts";
import type { ReportOptions } from "../../../src/cli/reconcile/recognize-columns.ts";
import type { ReportLine } from "../../../src/cli/reconcile/report-line.ts";
import { banks, writeBankReport, type BankName } from "../../testkit/command/bank-reports.ts";
import { temporaryFile } from "../../testkit/temporary.ts";

const id = "pay_0199c5a8-7f3e-7abc-9def-0123456789ab";
const otherId = "pay_0199c5a8-7f3e-7abc-9def-0123456789ac";

async function read(
  content: string | Buffer,
  options: Partial<ReportOptions> = {},
): Promise<ReportLine[]> {
  const file = temporaryFile();
  writeFileSync(file, content);
  const { signal } = new AbortController();
  return await Array.fromAsync(
    readReport(file, { types: new Map(), livemode: true, ...options }, signal),
  );
}

async function findMistake(...args: Parameters<typeof read>): Promise<string> {
  const error: unknown = await read(...args).catch((raised: unknown) => raised);
  expect(error).toMatchObject({ exitCode: 2 });
  return (error as Error).message.replace(/^.*\.db:/, "");
}

const brief = ({ payment, type, amount, currency, line }: ReportLine) => [
  line,
  payment,
  type,
  amount,
  currency,
];

describe("a bank's own layout is read without a map", () => {
  test.each(Object.keys(banks) as BankName[])("%s", async (name) => {
    const payments = [
      { id, amount: 123_456_789, currency: "eur", status: "refunded" },
      { id: otherId, amount: 5, currency: "eur", status: "succeeded" },
    ] as const;
    expect((await read(writeBankReport(name, payments))).map(brief)).toEqual([
      [2, id, "charge", 123_456_789, "eur"],
      [3, id, "refund", 123_456_789, "eur"],
      [4, otherId, "charge", 5, "eur"],
    ]);
  });

  test("also with more decimals and a longer text far behind its beginning", async () => {
    const rows = Array.from({ length: 5_000 }, () => `${id};2.500;EUR`);
    const lines = await read(`A;B;C\n${rows.join("\n")}\nSaw ${otherId};49,99;EUR\n`);
    expect(lines.length).toBe(5_001);
    expect(lines.slice(-2).map(brief)).toEqual([
      [5_001, id, "charge", 250_000, "eur"],
      [5_002, otherId, "charge", 4999, "eur"],
    ]);
  });

  test("with the currency in the amounts alone", async () => {
    const content = `Text,Sum\n${id},€49.99\n${id},-49.99 EUR\n${otherId},$5.00\n`;
    expect((await read(content)).map(brief)).toEqual([
      [2, id, "charge", 4999, "eur"],
      [3, id, "refund", 4999, "eur"],
      [4, otherId, "charge", 500, "usd"],
    ]);
    expect(await findMistake(`Text,Sum\n${id},€49.99\n${id},5.00\n`)).toBe(
      "3: the column Sum names no currency, and the file has no column that does.",
    );
  });

  test("with a column of known words for the types of lines", async () => {
    const content = `A,B,C,D\n${id},49.99,eur,Sale\n${id},49.99,eur,Back\n-,-2.50,eur,Fee\n`;
    const types = new Map([
      ["Sale", "charge"],
      ["Back", "refund"],
    ] as const);
    expect((await read(content, { types })).map(({ type }) => type)).toEqual([
      "charge",
      "refund",
      "other",
    ]);
  });

  test("with rows that are about no payment", async () => {
    const content = `A,B,C\nRent,-900.00,EUR\n${id},49.99,EUR\n`;
    expect((await read(content)).map(brief)).toEqual([
      [2, "", "refund", 90_000, "eur"],
      [3, id, "charge", 4999, "eur"],
    ]);
  });

  test.each([
    [
      "two columns of amounts",
      `Ref;Betrag;Saldo;W\n${id};49,99;1.049,99;EUR\n`,
      "1: has several columns with amounts with decimals: Betrag and Saldo.",
    ],
    [
      "two columns with ids",
      `Ref,Memo,Sum,Cur\n${id},Order,1.50,EUR\n,${otherId},1.50,EUR\n`,
      "1: has several columns with payments' ids: Ref and Memo.",
    ],
    [
      "two columns of currencies",
      `Ref,Sum,Cur,Account\n${id},1.50,EUR,USD\n`,
      "1: has several columns with currencies' codes: Cur and Account.",
    ],
    [
      "no column with ids",
      "Ref,Sum,Cur\nOrder,1.50,EUR\n",
      "1: has columns that are not known: none has payments' ids. Its columns are: Ref, Sum, Cur.",
    ],
    [
      "no column of amounts with decimals",
      `Ref,Sum,Cur\n${id},150,EUR\n`,
      "1: has columns that are not known: none has amounts with decimals. Its columns are: Ref, Sum, Cur.",
    ],
    [
      "an amount that is none",
      `Ref,Sum,Cur\n${id},1.50,EUR\n${id},1.50,EUR\n${id},n/a,EUR\n`,
      "4: the column Sum is no amount, unlike those above.",
    ],
    [
      "two ids in one text",
      `Ref,Sum,Cur\n${id},1.50,EUR\n${id} ${otherId},1.50,EUR\n`,
      "3: the column Ref has the ids of several payments.",
    ],
    [
      "amounts that can be read in two ways throughout",
      `Ref;Sum;Cur\n${id};2.500;EUR\n${id};1.230;EUR\n`,
      "2: the column Sum has 2.500, which may be 2,500.00 or 2.50, and no amount of the file says which.",
    ],
    [
      "another decimal separator",
      `Ref;Sum;Cur\n${id};1.234,50;EUR\n${id};2.50;EUR\n`,
      "3: the column Sum is no amount with a decimal comma, as in line 2.",
    ],
  ])("but for %s", async (_, content, mistake) => {
    expect(await findMistake(content)).toBe(mistake);
  });

  test("where --decimal says what could be read in two ways", async () => {
    const content = `Ref;Sum;Cur\n${id};2.500;EUR\n${id};1.230;EUR\n`;
    const amounts = async (decimal: "comma" | "point") =>
      (await read(content, { decimal })).map(({ amount }) => amount);
    expect(await amounts("comma")).toEqual([250_000, 123_000]);
    expect(await amounts("point")).toEqual([250, 123]);
  });
});

describe("a mapped file", () => {
  const map = { payment: "Ref", amount: "Sum", currency: "Cur" };

  test("needs no type, and no unit where an amount has decimals", async () => {
    const content = `Ref,Sum,Cur,Saldo\nOrder 7 (${id}),49.99,eur,1.00\norder-8,-5,eur,2.00\n`;
    expect((await read(content, { map })).map(brief)).toEqual([
      [2, id, "charge", 4999, "eur"],
      [3, "order-8", "refund", 500, "eur"],
    ]);
  });

  test("is asked for its unit where no amount has decimals", async () => {
    const content = `Ref,Sum,Cur\n${id},4999,eur\n`;
    expect(await findMistake(content, { map })).toBe(
      "1: has no amount with decimals, so 4999 may be 4999.00 or 49.99.",
    );
    expect((await read(content, { map, amounts: "minor" })).map(({ amount }) => amount)).toEqual([
      4999,
    ]);
  });

  test("can have no negative amount where a column says that it is a charge", async () => {
    const content = `Ref,Sum,Cur,Kind\n${id},(1.50),eur,charge\n`;
    expect(await findMistake(content, { map: { ...map, type: "Kind" } })).toBe(
      "2: the column Sum is negative, but of a charge.",
    );
  });
});

describe("the encoding", () => {
  const german = "Straße;Betrag;Währung\n";

  test("does not matter for what is not needed", async () => {
    const content = Buffer.from(`${german}Stra\xdfe ${id} f\xfcr;49,99;EUR\n`, "latin1");
    expect((await read(content)).map(brief)).toEqual([[2, id, "charge", 4999, "eur"]]);
  });

  test.each([
    ["a sign of a currency", `${german}${id};49,99 \x80;EUR\n`, "2: the column Betrag"],
    ["a word for a type", `Ref,Sum,Cur,Kind\n${id},1.50,eur,R\xfcck\n`, "2: the column Kind"],
  ])("is asked for where it matters: %s", async (_, content, place) => {
    const map = { payment: "Ref", amount: "Sum", currency: "Cur", type: "Kind" };
    const options = content.startsWith("Ref") ? { map } : {};
    const bytes = Buffer.from(content, "latin1");
    expect(await findMistake(bytes, options)).toBe(`${place} is not text in UTF-8.`);
  });

  test("is what the user says", async () => {
    const windows = Buffer.from(`${german}${id};49,99 \x80;EUR\n`, "latin1");
    expect((await read(windows, { encoding: "windows-1252" })).map(brief)).toEqual([
      [2, id, "charge", 4999, "eur"],
    ]);
    const latin = Buffer.from(`Ref,Sum,Cur,Kind\n${id},1.50,eur,R\xfcck\n`, "latin1");
    const map = { payment: "Ref", amount: "Sum", currency: "Cur", type: "Kind" };
    const options = { map, types: new Map([["Rück", "refund"]] as const) };
    expect((await read(latin, { ...options, encoding: "latin1" })).map(({ type }) => type)).toEqual(
      ["refund"],
    );
    expect(await findMistake(latin, { ...options, encoding: "utf-8" })).toBe(
      "2: is not text in UTF-8.",
    );
  });
});

test.each([`;;\n;;\n`, `;;`, ` ; ;""\n\n;;\n`])(
  "rows with nothing in them are skipped at the end: %j",
  async (end) => {
    expect(await read(`Ref;Sum;Cur\n${id};1,50;EUR\n${end}`)).toHaveLength(1);
  },
);

describe("the truth values of spreadsheets", () => {
  const header = "id;amount;currency;status;livemode";
  const row = (word: string) => `${header}\n${id};4999;eur;succeeded;${word}\n`;

  test.each(["true", "WAHR", "Vrai", "VERO", "verdadero", "WAAR"])("%s is true", async (word) => {
    expect(await read(row(word))).toHaveLength(1);
  });

  test.each(["false", "FALSCH", "Faux", "FALSO", "onwaar"])("%s is false", async (word) => {
    expect(await findMistake(row(word))).toMatch(/^2: the column livemode says a test payment/);
    expect(await read(row(word), { livemode: false })).toHaveLength(1);
  });

  test("and no others", async () => {
    expect(await findMistake(row("ja"))).toBe("2: the column livemode is neither true nor false.");
  });
});
