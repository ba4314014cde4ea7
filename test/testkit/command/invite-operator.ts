import type { InvitedOperator } from "../../../src/contract/administration.ts";
import { beginDatabase } from "../database/home-database.ts";
import { parsePrinted, runPayments } from "./run-payments.ts";

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
