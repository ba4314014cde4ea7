import { expect, test } from "vitest";
import {
  openTemporaryBooks,
  type TemporaryBooks,
} from "../../../src/cli/reconcile/temporary-books.ts";

test.each<[string, (books: TemporaryBooks) => Generator]>([
  ["entries", (books) => books.sortEntries()],
  ["differences", (books) => books.listDifferences("only_here")],
])("a file of %s that cannot be used is an error with a hint, also between two rows", (_, read) => {
  const books = openTemporaryBooks();
  for (const payment of ["pay_1", "pay_2"]) {
    books.addLine({ ...line, payment });
    books.addDifference({ ...difference, payment });
  }
  const begun = read(books);
  expect(begun.next().done).toBe(false);
  books[Symbol.dispose]();
  const failure = expect.objectContaining({
    message: expect.stringContaining("The temporary file for both books cannot be used: "),
    hint: expect.stringContaining("SQLITE_TMPDIR"),
  });
  expect(() => begun.next()).toThrow(failure);
  expect(() => read(books).next()).toThrow(failure);
  expect(() => books.addLine(line)).toThrow(failure);
});

const line = {
  payment: "pay_1",
  type: "charge",
  amount: 4999,
  currency: "eur",
  created: null,
  line: 2,
} as const;

const difference = {
  object: "difference",
  list: "only_here",
  reason: "no_charge_there",
  payment: "pay_1",
  here: null,
  there: null,
  command: null,
} as const;
