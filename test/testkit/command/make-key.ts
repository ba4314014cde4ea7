import type { ApiKey, IssuedKey } from "../../../src/contract/administration.ts";
import { beginDatabase } from "../database/home-database.ts";
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
