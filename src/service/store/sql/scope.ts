import type { Scope } from "../../use-cases/kept-answers.ts";

/** Whose a row is. */
export type ScopeColumns = { account_id: string; livemode: number };

/** An account and mode as a statement's parameters. */
export function ofScope({ accountId, livemode }: Scope): [accountId: string, livemode: number] {
  return [accountId, Number(livemode)];
}

export function scopeIn({ account_id, livemode }: ScopeColumns): Scope {
  return { accountId: account_id, livemode: livemode === 1 };
}
