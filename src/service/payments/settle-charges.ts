import type { PaymentsService } from "./payments-store.ts";
import { awaitAll } from "../../runtime/promises.ts";
import type { CardNetwork, GuardedNetwork } from "../networks/card-network.ts";
import { askNetwork, computeLeaseEnd, getSimulator, storeAnswer } from "./ask-network.ts";
import type { DueCharge } from "./charges-sql.ts";

type Options = {
  /** Schedules another run of `settle`. */
  wake: () => void;
  /** Called with an error of the store; must not throw. The lease of the charge expires, and it is settled later. */
  broken: (error: unknown) => void;
};

/**
 * Calls the network about due charges, in the background: those whose outcome is unknown, those that were given up,
 * and refunds. Each charge is settled by itself, and accounts share the network's slots, so that neither a slow
 * charge nor an account with many of them delays the others. Charges of other networks are left to services that are
 * attached to these. Safe to run on several replicas at once: leases keep them apart, and each outcome is written
 * once.
 */
export function createChargeSettler(service: PaymentsService, { wake, broken }: Options) {
  const accounts = new Map<string, { isDueMeanwhile: boolean }>();
  const underWay = new Set<Promise<void>>();
  /** While the circuit breaker is open, the account after this one is next. */
  let lastAccount = "";
  let wasRejected = false;
  let isEnding = false;

  /** Starts every account with due charges; resolves before they are settled. */
  async function settle(): Promise<void> {
    const network = service.networkOf({ livemode: true });
    if (network.isLocal) return;
    const first = network.isFailing() ? lastAccount : "";
    await settleAfter(network, first);
    if (first !== "") await settleAfter(network, "");
  }

  async function settleAfter(network: GuardedNetwork, account: string): Promise<void> {
    let after: string | undefined = account;
    while (after !== undefined) {
      const due = { nowMs: service.clock(), network: network.name };
      const { found, next } = await service.store.findAccountsWithDueCharges(due, after);
      for (const accountId of found) {
        // While the circuit breaker lets one request a second through, only one account waits for it.
        if (isEnding || (network.isFailing() && accounts.size > 0)) return;
        begin(network, accountId);
      }
      after = next;
    }
  }

  function begin(network: GuardedNetwork, accountId: string): void {
    const begun = accounts.get(accountId);
    if (begun) {
      begun.isDueMeanwhile = true;
      return;
    }
    const account = { isDueMeanwhile: false };
    accounts.set(accountId, account);
    lastAccount = accountId;
    track(
      settleAccount(network, accountId)
        .finally(() => accounts.delete(accountId))
        // Not after an error of the store, or a store that fails would be called in a loop.
        .then(() => (account.isDueMeanwhile || network.isFailing() ? wake() : undefined)),
    );
  }

  /** Leases one charge after another, each once there is a slot for it, until none is due. */
  async function settleAccount(network: GuardedNetwork, accountId: string): Promise<void> {
    do {
      using slot = new DisposableStack();
      const permit = slot.use(await network.admit({ accountId, purpose: "settlement" }));
      wasRejected ||= !permit;
      if (!permit || isEnding) return;
      const nowMs = service.clock();
      const due = {
        nowMs,
        untilMs: computeLeaseEnd(nowMs),
        limit: 1,
        network: network.name,
        accountId,
      };
      const [charge] = await service.store.leaseDueCharges(due);
      if (!charge) return;
      track(settleCharge(service, permit.network, charge).finally(buildRelease(slot.move())));
    } while (!network.isFailing()); // else it is the next account's turn
  }

  function buildRelease(slot: Disposable): () => void {
    return () => {
      slot[Symbol.dispose]();
      if (wasRejected) wake();
      wasRejected = false;
    };
  }

  function track(work: Promise<void>): void {
    const tracked = work.catch(broken).finally(() => underWay.delete(tracked));
    underWay.add(tracked);
  }

  return {
    settle,
    /** Starts nothing more; charges without an answer are left to another replica. */
    end: (): void => {
      isEnding = true;
    },
    idle: async (): Promise<void> => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

const batchSize = 100;
const simulatorLeaseMs = 2_000;

/** Settles due charges of the simulator; returns how many. */
export async function settleSimulatedCharges(service: PaymentsService): Promise<number> {
  const nowMs = service.clock();
  const network = service.simulator.name;
  const lease = { nowMs, untilMs: nowMs + simulatorLeaseMs, limit: batchSize, network };
  const due = await service.store.leaseDueCharges(lease);
  await awaitAll(
    due.map(async (charge) => settleCharge(service, getSimulator(service, charge.scope), charge)),
  );
  return due.length;
}

export async function settleCharge(
  service: PaymentsService,
  network: CardNetwork,
  due: DueCharge,
): Promise<void> {
  await storeAnswer(service, network, due, await askNetwork(network, due));
}
