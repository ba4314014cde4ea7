import type {
  Account,
  ApiKey,
  InvitedOperator,
  IssuedKey,
} from "../../../src/contract/administration.ts";
import { beginDatabase } from "../database/open-database.ts";
import { parsePrinted, runPayments } from "./run-payments.ts";

/** Creates a key in the database of a home, which it begins where there is none. */
export async function makeKey(home: string, mode = "test"): Promise<IssuedKey> {
  await beginDatabase(home);
  const args = ["keys", "create", "--mode", mode, "--name", "ci", "--json"];
  return parsePrinted(await runPayments(args, { home })) as IssuedKey;
}

/** A key as `payments keys list` shows it. */
export async function findKey(home: string, id: string): Promise<ApiKey | undefined> {
  const { data } = parsePrinted(await runPayments(["keys", "list", "--json"], { home }));
  return (data as ApiKey[]).find((key) => key.id === id);
}

/** Creates another account in the database of a home, besides its first one. */
export async function createAccount(home: string, name: string): Promise<Account> {
  const args = ["accounts", "create", "--name", name, "--json"];
  return parsePrinted(await runPayments(args, { home })) as Account;
}

export async function listAccounts(home: string): Promise<Account[]> {
  const { data } = parsePrinted(await runPayments(["accounts", "list", "--json"], { home }));
  return data as Account[];
}

/** Invites an operator in the database of a home, which it begins where there is none; by default an admin. */
export async function inviteOperator(
  home: string,
  args: string[] = ["--name", "Ada", "--role", "admin"],
): Promise<InvitedOperator> {
  await beginDatabase(home);
  const ran = await runPayments(["operators", "invite", ...args, "--json"], { home });
  return parsePrinted(ran) as InvitedOperator;
}

export async function listOperators(home: string, args: string[] = []): Promise<unknown> {
  const ran = await runPayments(["operators", "list", ...args, "--json"], { home });
  return parsePrinted(ran);
}
