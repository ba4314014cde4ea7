/** The columns of the account and mode that a row belongs to. */
export type ScopeColumns = { account_id: string; livemode: number };

/** An account and mode as a statement's parameters. */
export function whereScope({ accountId, livemode }: Scope): [accountId: string, livemode: number] {
  return [accountId, Number(livemode)];
}

export function readScope({ account_id, livemode }: ScopeColumns): Scope {
  return { accountId: account_id, livemode: livemode === 1 };
}

/** How many accounts are searched together for due work. */
export const accountsAtOnce = 100;

/**
 * The condition that an account is one of these; its parameters begin with `$at`. It always has `accountsAtOnce`
 * parameters, so that it is one prepared statement. PostgreSQL estimates a list better than a range.
 */
export function isOneOf(
  column: string,
  accountIds: readonly string[],
  at: number,
): { sql: string; params: string[] } {
  const last = accountIds.at(-1) ?? "";
  const params = Array.from({ length: accountsAtOnce }, (_, i) => accountIds[i] ?? last);
  return { sql: `${column} IN (${params.map((_, i) => `$${at + i}`).join(", ")})`, params };
}

/** The owner of data: an account in one of its two modes. Authentication makes it, and every use case takes it. */
export type Scope = { accountId: string; livemode: boolean };
