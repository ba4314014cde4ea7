import type { Payment } from "../../../src/contract/payment.ts";

// Files as banks write them, of banks that do not exist: each in its own language, encoding and way to write amounts.

type Booked = Pick<Payment, "id" | "amount" | "currency" | "status">;
/** How a bank writes one booking: `minor` is negative where money goes back. */
type Row = (booked: Booked, minor: number) => string;

type Bank = { header: string; row: Row; end: string; encode: (text: string) => Buffer };

const utf8 = (text: string) => Buffer.from(text);
const withMark = (text: string) => Buffer.from(`\ufeff${text}`);

/** Digits in groups of three, with two decimals. */
function write(minor: number, group: string, decimal: string): string {
  const [, whole = "", cents = ""] =
    /^(\d+)(\d\d)$/.exec(String(Math.abs(minor)).padStart(3, "0")) ?? [];
  return `${whole.replaceAll(/\B(?=(?:\d{3})+$)/g, group)}${decimal}${cents}`;
}

const sign = (minor: number, minus: string) => (minor < 0 ? minus : "");

export const banks = {
  /** German: decimal commas, Latin-1, and rows of separators at the end. */
  "Sparbank Musterland": {
    header: "Buchungstag;Verwendungszweck;Empfänger;Betrag;Währung",
    row: ({ id, currency }, minor) =>
      `02.11.2026;Bestellung 1001 ${id} Danke für Ihren Einkauf;Müller;${sign(minor, "-")}${write(minor, ".", ",")};${currency.toUpperCase()}`,
    end: ";;;;\r\n;;;;\r\n",
    encode: (text) => Buffer.from(text, "latin1"),
  },
  /** French: narrow spaces between groups, the real minus, and the euro's sign behind the amount. */
  "Banque Exemple": {
    header: '"Date";"Libellé";"Montant";"Devise"',
    row: ({ id, currency }, minor) =>
      `"02/11/2026";"Réf. ${id.toUpperCase()}";"${sign(minor, "\u2212")}${write(minor, "\u202f", ",")}\u00a0€";"${currency}"`,
    end: "",
    encode: withMark,
  },
  /** English: the currency's sign before the amount, and parentheses for what goes back. */
  "Example Trust": {
    header: "Posted,Memo,Value,Currency code",
    row: ({ id, currency }, minor) =>
      `2026-11-02,"Order 1001, ${id}","${minor < 0 ? "(" : ""}€${write(minor, ",", ".")}${minor < 0 ? ")" : ""}",${currency.toUpperCase()}`,
    end: ",,,\n",
    encode: utf8,
  },
  /** Italian: apostrophes between groups, the minus behind, tabs, UTF-16. */
  "Banca Inventata": {
    header: "Data\tCausale\tImporto\tDivisa",
    row: ({ id, currency }, minor) =>
      `02/11/2026\tPagamento/${id}/grazie\t${write(minor, "’", ".")}${sign(minor, "-")}\t${currency.toUpperCase()}`,
    end: "",
    encode: (text) => Buffer.from(`\ufeff${text}`, "utf16le"),
  },
} satisfies Record<string, Bank>;
export type BankName = keyof typeof banks;

/** The bank's file about payments: a booking for each charge, and another for each refund. */
export function writeBankReport(name: BankName, payments: readonly Booked[]): Buffer {
  const { header, row, end, encode }: Bank = banks[name];
  const rows = payments.flatMap((payment) => {
    const charge = row(payment, payment.amount);
    return payment.status === "refunded" ? [charge, row(payment, -payment.amount)] : [charge];
  });
  return encode(`${[header, ...rows].join("\r\n")}\r\n${end}`);
}
