import { simulatorName } from "../../contract/headers.ts";
import type { Backlog, NetworkChargeCounts } from "./payment-types.ts";
import { createStatement, type Statement } from "../database/driver.ts";
import { maxCounted } from "../database/due-work.ts";

/** The number and age of the simulator's due charges, including leased ones. */
export function selectDue(nowMs: number): Statement<Pick<Backlog, "due" | "oldestAgeMs">> {
  return createStatement(
    `SELECT COUNT(*) AS due, MIN(undecided_since_ms) AS oldest FROM
     (SELECT undecided_since_ms FROM charges WHERE due_at_ms <= $1 AND network = $2
      AND undecided_since_ms <= $3 ORDER BY due_at_ms LIMIT ${maxCounted}) oldest_due`,
    [Number.MAX_SAFE_INTEGER, simulatorName, nowMs],
    ([row]: { due: number; oldest: number | null }[]) => ({
      due: row?.due ?? 0,
      oldestAgeMs: nowMs - (row?.oldest ?? nowMs),
    }),
  );
}

/** The charges of networks that move money whose outcome is not known, while no customer is at the bank. */
export function selectUndecided(
  nowMs: number,
): Statement<Pick<Backlog, "undecided" | "oldestUndecidedAgeMs">> {
  return createStatement(
    `SELECT COUNT(*) AS undecided, MIN(undecided_since_ms) AS oldest FROM
     (SELECT undecided_since_ms FROM charges WHERE due_at_ms <= $1 AND network <> $2 AND challenge_url IS NULL
      ORDER BY due_at_ms LIMIT ${maxCounted}) oldest_due`,
    [Number.MAX_SAFE_INTEGER, simulatorName],
    ([row]: { undecided: number; oldest: number | null }[]) => ({
      undecided: row?.undecided ?? 0,
      oldestUndecidedAgeMs: nowMs - (row?.oldest ?? nowMs),
    }),
  );
}

/** The undecided charges of all networks that move money, except one. */
export function selectElsewhereCounts(network: string): Statement<NetworkChargeCounts> {
  return createStatement(
    `SELECT COUNT(*) AS count, MIN(network) AS first FROM
     (SELECT network FROM charges WHERE due_at_ms <= $1 AND network NOT IN ($2, $3)
      ORDER BY due_at_ms LIMIT ${maxCounted}) oldest_due`,
    [Number.MAX_SAFE_INTEGER, network, simulatorName],
    ([row]: { count: number; first: string | null }[]) => ({
      count: row?.count ?? 0,
      network: row?.first ?? undefined,
    }),
  );
}
