import type { Account } from "../../../src/contract/administration.ts";
import { parsePrinted, runPayments } from "./run-payments.ts";

/** Creates another account in the database of a home, besides its first one. */
export async function createAccount(home: string, name: string): Promise<Account> {
  const args = ["accounts", "create", "--name", name, "--json"];
  return parsePrinted(await runPayments(args, { home })) as Account;
}

export async function listAccounts(home: string): Promise<Account[]> {
  const { data } = parsePrinted(await runPayments(["accounts", "list", "--json"], { home }));
  return data as Account[];
}
