import type { Mutation } from "./mutation.ts";

// The comparison of the books: the bank's file, the two sides, and a card network's transactions.

export const mutations: readonly Mutation[] = [
  {
    breaks: "a thousands separator makes an amount a thousand times smaller",
    file: "cli/reconcile/parse-amount.ts",
    from: "amountForm.exec(text)",
    to: `amountForm.exec(text.replace(",", "."))`,
    tests: ["cli/reconcile/read-report"],
  },
  {
    breaks: "a line is named wrongly after a line break in quotes",
    file: "cli/reconcile/read-report.ts",
    from: `if (cell.includes("\\n"))`,
    to: `if (cell.includes("\\0"))`,
    tests: ["cli/reconcile/read-report"],
  },
  {
    breaks: "a row without a cell is read as if it had it",
    file: "cli/reconcile/read-report.ts",
    from: "if (cells.length !== header.length) {",
    to: "if (cells.length > header.length) {",
    tests: ["cli/reconcile/read-report"],
  },
  {
    breaks:
      "a charge in another currency than the account's is compared by what it was converted to",
    file: "cli/reconcile/recognize-columns.ts",
    from: "isConverted && charged.amount && charged.currency",
    to: "false && charged.amount && charged.currency",
    tests: ["cli/reconcile/read-report"],
  },
  {
    breaks: "two charges are added up silently",
    file: "cli/reconcile/compare-payment.ts",
    from: `if (charge.count > 1) add(`,
    to: `if (charge.count > 2) add(`,
    tests: ["cli/reconcile/compare-payment", "cli/reconcile/reconcile.test"],
  },
  {
    breaks: "a dispute that was won is one for ever",
    file: "cli/reconcile/compare-payment.ts",
    from: `  dispute_reversal: "dispute",\n`,
    to: "",
    tests: ["cli/reconcile/compare-payment"],
  },
  {
    breaks: "a charge of December for a payment of November is said to be unknown",
    file: "cli/reconcile/reconcile.ts",
    from: "timedId.test(payment) ? parseCreated(payment) : (first?.created ?? null)",
    to: "first?.created ?? null",
    tests: ["cli/reconcile/reconcile.test"],
  },
  {
    breaks: "test payments are compared where a live key is missing",
    file: "cli/commands/reconcile.ts",
    from: `process.env["PAYMENTS_MODE"] ?? "live"`,
    to: `process.env["PAYMENTS_MODE"] ?? "test"`,
    tests: ["cli/commands/reconcile.test"],
  },
  {
    breaks: "an adapter that gives the same page for ever is asked for ever",
    file: "service/networks/transactions.ts",
    from: "if (next === cursor)",
    to: "if (page > 1_000)",
    tests: ["service/networks/http-transactions"],
  },
  {
    breaks: "a temporary file that fails between two differences is SQLite's own error",
    file: "cli/reconcile/temporary-books.ts",
    from: "useDisk(() => rows.next())",
    to: "rows.next()",
    tests: ["cli/reconcile/temporary-books"],
  },
  {
    breaks: "a dispute that came back in part is taken for one that was won",
    file: "cli/reconcile/compare-payment.ts",
    from: "tally.sum !== 0 || !tally.isOneCurrency",
    to: "false",
    tests: ["cli/reconcile/compare-payment"],
  },
];
