import type { Account } from "../../../src/contract/account.ts";
import { printed, runPayments } from "./run-payments.ts";

/** Creates another account in the database of a home, besides its first one. */
export async function makeAccount(home: string, name: string): Promise<Account> {
  const args = ["accounts", "create", "--name", name, "--json"];
  return printed(await runPayments(args, { home })) as Account;
}

export async function listedAccounts(home: string): Promise<Account[]> {
  const { data } = printed(await runPayments(["accounts", "list", "--json"], { home }));
  return data as Account[];
}
