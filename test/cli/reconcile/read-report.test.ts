import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readReport } from "../../../src/cli/reconcile/read-report.ts";
import type { ReportOptions } from "../../../src/cli/reconcile/recognize-columns.ts";
import type { ReportLine } from "../../../src/cli/reconcile/report-line.ts";
import { temporaryFile } from "../../testkit/temporary.ts";

const id = "pay_0199c5a8-7f3e-7abc-9def-0123456789ab";
const known: ReportOptions = { types: new Map(), livemode: true };
const mapped: ReportOptions = {
  ...known,
  map: { payment: "Ref", amount: "Sum", currency: "Cur", type: "Kind" },
  amounts: "major",
};
const mappedHeader = "Ref,Sum,Cur,Kind";

async function read(content: string | Buffer, options = mapped): Promise<ReportLine[]> {
  const file = temporaryFile();
  writeFileSync(file, content);
  return await Array.fromAsync(readReport(file, options, new AbortController().signal));
}

/** The mistake in a file, without the file's name. */
async function findMistake(content: string | Buffer, options = mapped): Promise<string> {
  const error: unknown = await read(content, options).catch((raised: unknown) => raised);
  expect(error).toMatchObject({ exitCode: 2 });
  return (error as Error).message.replace(/^.*\.db:/, "");
}

const cell = (text: string) => `${mappedHeader}\n${id},1.00,eur,charge\n${id},${text},eur,charge\n`;
const noAmount = "is no amount such as 1234.50, 1.234,50 or -€12.50.";

describe("a wrong file is named with its line and column", () => {
  test.each<[what: string, content: string | Buffer, mistake: string]>([
    [
      "a line for Excel alone",
      `sep=;\n${mappedHeader}\n`,
      "1: begins with a line for Excel alone, which names the separator.",
    ],
    ["an empty file", "", "1: is empty: it has no line with the names of its columns."],
    [
      "an amount with another decimal separator than those above",
      cell('"1,50"'),
      "3: the column Sum is no amount with a decimal point, as in line 2.",
    ],
    [
      "an amount with another currency's sign",
      cell("$1.00"),
      "3: the column Sum is not in EUR, as its row says.",
    ],
    ["an amount with an exponent", cell("1e3"), `3: the column Sum ${noAmount}`],
    ["an amount that is no number", cell("NaN"), `3: the column Sum ${noAmount}`],
    ["an amount with a space in the wrong place", cell("1 0.00"), `3: the column Sum ${noAmount}`],
    ["no amount", cell(""), "3: the column Sum is empty."],
    [
      "too many decimals",
      cell("1.001"),
      "3: the column Sum has more decimals than EUR, which has 2.",
    ],
    [
      "an amount that is too large",
      cell("90071992547409.92"),
      "3: the column Sum is too large for an amount.",
    ],
    ["a negative charge", cell("-1.00"), "3: the column Sum is negative, but of a charge."],
    [
      "decimals of a currency without any",
      `${mappedHeader}\n${id},1.5,JPY,charge`,
      "2: the column Sum has more decimals than JPY, which has 0.",
    ],
    [
      "a currency that is none",
      `${mappedHeader}\n${id},1,euro,charge`,
      "2: the column Cur is no currency's code, such as eur.",
    ],
    ["no payment", `${mappedHeader}\n,1,eur,charge`, "2: the column Ref is empty."],
    [
      "a type that is none",
      `${mappedHeader}\n${id},1,eur,sale`,
      "2: the column Kind is no known type of a line.",
    ],
    [
      "a row that is too short",
      `${mappedHeader}\n${id},1,eur,charge\n${id},1`,
      "3: has 2 columns, but the first line has 4.",
    ],
    [
      "a row that is too long",
      `${mappedHeader}\n${id},1,eur,charge,`,
      "2: has 5 columns, but the first line has 4.",
    ],
    [
      "a quote that is never closed",
      `${mappedHeader}\n${id},1,eur,charge\n${id},"1,eur\nx\n`,
      "3: begins a row with a quote that is never closed: the file may be cut off.",
    ],
    [
      "text after a quote",
      `${mappedHeader}\n"${id}"x,1,eur,charge`,
      "2: has text after a closing quote; a quote inside quotes is written twice.",
    ],
    [
      "a quote inside a cell",
      `${mappedHeader}\n${id},1"0,eur,charge`,
      "2: has a quote in the middle of a cell without quotes around it.",
    ],
    [
      "another encoding of what is needed",
      Buffer.from(`${mappedHeader}\nM\xfcller,1,eur,charge\n`, "latin1"),
      "2: the column Ref is not text in UTF-8.",
    ],
    [
      "another encoding of a column's name",
      Buffer.from("R\xe9f,Sum,Cur,Kind\n", "latin1"),
      "1: the column Ref is missing.",
    ],
    [
      "lines that end with CR alone",
      `"Ref",Sum,Cur,Kind\r${id},1.00,eur,charge\r`,
      "1: ends with CR alone, as on old Macs: lines must end with LF or CR LF.",
    ],
    ["blank lines", "\r\n\n\n", "1: has no columns: the first line must have their names."],
    [
      "a first line of delimiters",
      ";;;\n1;2;3;4\n",
      "1: has no columns: the first line must have their names.",
    ],
    ["a NUL character", `${mappedHeader}\n${id},1,eur,charge\n\0`, "3: holds a NUL character."],
    [
      "a line after line breaks in quotes",
      `${mappedHeader}\r\n"a\r\n\r\nb",1,eur,charge\r\n\r\n${id},x,eur,charge`,
      `6: the column Sum ${noAmount}`,
    ],
    ["a column that is missing", "Ref,Sum,Cur,Type\n", "1: the column Kind is missing."],
    ["a column that is there twice", "Ref,Sum,Cur,Kind,Sum\n", "1: the column Sum is there twice."],
  ])("%s", async (_, content, mistake) => {
    expect(await findMistake(content)).toBe(mistake);
  });

  test.each(["Ref,Sum,Cur,Kind\nM\xfcller,1,eur,charge\n", "R\xe9f,Sum,Cur,Kind\n"])(
    "with the flag for another encoding, and the command that converts it: %j",
    async (content) => {
      const reading = read(Buffer.from(content, "latin1"));
      const error: unknown = await reading.catch((raised: unknown) => raised);
      expect(error).toMatchObject({
        hint: "Say which encoding it has, such as --encoding windows-1252 or latin1; or iconv -f WINDOWS-1252 -t UTF-8 FILE > NEWFILE saves text in Latin-1 or Windows-1252 as UTF-8.",
      });
    },
  );

  test("lines that end with CR alone, of more than 1 MiB", async () => {
    const content = `${mappedHeader}\r${`${id},1.00,eur,charge\r`.repeat(20_000)}`;
    expect(await findMistake(content)).toMatch(/^1: ends with CR alone/);
  });

  test("a line of more than 1 MiB", async () => {
    const content = `${mappedHeader}\n${id},1,eur,charge\n"${"x".repeat(1_100_000)}`;
    expect(await findMistake(content)).toBe("3: is a line of more than 1 MiB.");
  });

  test("more columns than a report has, each of which would be looked at in each row", async () => {
    const content = `a${",".repeat(1_000)}\n1.5${",".repeat(1_000)}\n`;
    expect(await findMistake(content, known)).toBe("1: has more than 1,000 columns.");
  });

  test("a quote that swallows the rest of a large file", async () => {
    const row = `${id},1,eur,charge\n`;
    const content = `${mappedHeader}\n${row}${id},"1,eur,charge\n${row.repeat(30_000)}`;
    expect(await findMistake(content)).toBe(
      "3: begins a row of more than 1 MiB: a quote may never be closed.",
    );
  });

  test("columns that are not known, which are listed", async () => {
    expect(await findMistake("Ref;Betrag;4242424242424242\n1;2;3\n", known)).toBe(
      "1: has columns that are not known: none has payments' ids. Its columns are: Ref, Betrag, ….",
    );
  });

  test("Stripe's report without the column that names the payment", async () => {
    expect(await findMistake("currency,gross,reporting_category\n", known)).toBe(
      "1: The column payment_metadata[payment_id] is missing, which names the payment.",
    );
  });

  test.each(["false", "FALSE"])("a payment of the other mode: %s", async (livemode) => {
    const content = `id,amount,currency,status,livemode\n${id},4999,eur,succeeded,${livemode}\n`;
    expect(await findMistake(content, known)).toBe(
      "2: the column livemode says a test payment, but live payments are compared.",
    );
  });
});

test("a file that cannot be read is not a wrong one", async () => {
  const { signal } = new AbortController();
  const reading = Array.fromAsync(readReport(`${temporaryFile()}.csv`, mapped, signal));
  await expect(reading).rejects.toMatchObject({ exitCode: 9 });
});

const charge = { payment: id, type: "charge", amount: 4999, currency: "eur", created: null };

function writeStripeRow(category: string, money: string, facing: string, payment: string) {
  const [currency, gross] = money.split(" ");
  const [facingCurrency = "", facingAmount = ""] = facing.split(" ");
  return `txn_1,2026-11-01 09:30:00,2026-11-01 10:30:00,2026-11-03 00:00:00,2026-11-03 01:00:00,${currency},${gross},0.35,1,${category},ch_1,"Order, 1",${facingAmount},${facingCurrency},po_1,,,,ch_1,pi_1,${payment}`;
}

describe("a file is read", () => {
  test.each([
    ["with commas", `${mappedHeader}\n${id},49.99,EUR,charge\n`],
    ["with semicolons", `Ref;Sum;Cur;Kind\n${id};49.99;eur;Charge`],
    [
      "with tabs, in another order",
      `Kind\tNote\tCur\tSum\tRef\r\ncharge\ta, b; c\teur\t49.99\t${id}\r\n`,
    ],
    [
      "with a byte order mark and quotes",
      `\ufeff"Ref","Sum","Cur","Kind"\n"${id}","49.99","eur","charge"\n`,
    ],
  ])("%s", async (_, content) => {
    expect(await read(content)).toEqual([{ ...charge, line: 2 }]);
  });

  test("with the lines on which its rows begin", async () => {
    const content = `${mappedHeader}\r\n"a\r\nb",1,eur,charge\r\n\r\nc,1,eur,charge\r\n`;
    expect((await read(content)).map(({ line, payment }) => [line, payment])).toEqual([
      [2, "a\r\nb"],
      [5, "c"],
    ]);
  });

  test("with words of its own for the types, and amounts in minor units", async () => {
    const types = new Map([
      ["Sale", "charge"],
      ["Chargeback", "dispute"],
      ["Payout", "other"],
    ] as const);
    const content = `${mappedHeader}\n${id},4999,eur,Sale\n${id},-4999,eur,Chargeback\n,-1,,Payout\n`;
    const lines = await read(content, { ...mapped, types, amounts: "minor" });
    expect(lines.map(({ type, amount }) => [type, amount])).toEqual([
      ["charge", 4999],
      ["dispute", 4999],
      ["other", 0],
    ]);
  });

  test("as payments list -o csv writes it: a refunded payment is a charge and a refund", async () => {
    const content = `id,object,amount,currency,status,created\n${id},payment,4999,eur,refunded,1794744000\npay_2,payment,1,usd,failed,1794744000\n`;
    const created = 1_794_744_000;
    expect(await read(content, known)).toEqual([
      { ...charge, created, line: 2 },
      { ...charge, created, type: "refund", line: 2 },
      { payment: "pay_2", type: "failed", amount: 1, currency: "usd", created, line: 3 },
    ]);
  });

  test("as payments list --spreadsheet writes it: amounts have decimals", async () => {
    const content = `\uFEFFid,amount,currency,status,created (Europe/Berlin)\n${id},49.99,eur,refunded,2026-11-15 13:00:00\n`;
    expect(await read(content, known)).toEqual([
      { ...charge, created: null, line: 2 },
      { ...charge, created: null, type: "refund", line: 2 },
    ]);
  });

  // The columns of Stripe's report balance_change_from_activity.itemized.3, as its documentation lists them.
  test("as Stripe's itemized balance change from activity", async () => {
    const header =
      "balance_transaction_id,created_utc,created,available_on_utc,available_on,currency,gross,fee,net,reporting_category,source_id,description,customer_facing_amount,customer_facing_currency,automatic_payout_id,automatic_payout_effective_at,customer_id,customer_email,charge_id,payment_intent_id,payment_metadata[payment_id]";
    const content = [
      header,
      writeStripeRow("charge", "eur 49.99", "eur 49.99", id),
      writeStripeRow("refund", "eur -49.9", "", id),
      writeStripeRow("charge", "eur 43.10", "usd 49.99", id),
      writeStripeRow("dispute_reversal", "eur 7", "", id),
      writeStripeRow("charge", "eur 5.00", "eur 5.00", ""),
      writeStripeRow("payout", "eur -100.00", "", ""),
      writeStripeRow("fee", "eur -0.10", "", ""),
    ].join("\n");
    const created = Date.UTC(2026, 10, 1, 9, 30) / 1000;
    const lines = await read(content, known);
    expect(
      lines.map(({ type, amount, currency, payment, line }) => [
        type,
        amount,
        currency,
        payment,
        line,
      ]),
    ).toEqual([
      ["charge", 4999, "eur", id, 2],
      ["refund", 4990, "eur", id, 3],
      ["charge", 4999, "usd", id, 4],
      ["dispute_reversal", 700, "eur", id, 5],
      ["charge", 500, "eur", "", 6],
      ["other", 0, "", "", 7],
      ["other", 0, "", "", 8],
    ]);
    expect(lines[0]?.created).toBe(created);
  });
});
