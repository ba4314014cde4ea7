import type { CardNetwork, GuardedNetwork } from "../ports/card-network.ts";
import { askNetwork, computeLeaseEnd, storeAnswer } from "./ask-network.ts";
import type { DueCharge } from "../ports/payment-store.ts";
import type { Ports } from "../ports/ports.ts";

type Options = {
  /** To run `settle` again soon. */
  wake: () => void;
  /** Called with an error of the store; must not throw. What was leased is leased again later. */
  broken: (error: unknown) => void;
};

/**
 * Asks the network about the charges that are due, in the background: those whose outcome is unknown, those that
 * were given up, and refunds. Each goes by itself, and accounts share the network's slots: neither a charge that is
 * not answered nor an account with many of them holds up others. What another network was asked is left to a
 * service that is attached to it. Safe to run on several processes at once: each takes its own, and each outcome is
 * written once.
 */
export function createChargeSettler(ports: Ports, { wake, broken }: Options) {
  /** Accounts whose charges are being leased, and whether more were found due meanwhile. */
  const accounts = new Map<string, { isDueAgain: boolean }>();
  const underWay = new Set<Promise<void>>();
  /** The account that was begun with last: while the network fails the one after it has its turn. */
  let lastAccount = "";
  let hasBeenTurnedAway = false;
  let isEnding = false;

  /** Begins with every account for which something is due; resolves before what it began has ended. */
  async function settle(): Promise<void> {
    const network = ports.networkOf({ livemode: true });
    if (network.isLocal) return;
    const first = network.isFailing() ? lastAccount : "";
    await settleAfter(network, first);
    if (first !== "") await settleAfter(network, "");
  }

  async function settleAfter(network: GuardedNetwork, account: string): Promise<void> {
    let after: string | undefined = account;
    while (after !== undefined) {
      const due = { nowMs: ports.clock(), network: network.name };
      const { found, next } = await ports.store.findAccountsWithDueCharges(due, after);
      for (const accountId of found) {
        // While one a second is let through one waits for that: many would keep others' turns from them.
        if (isEnding || (network.isFailing() && accounts.size > 0)) return;
        begin(network, accountId);
      }
      after = next;
    }
  }

  function begin(network: GuardedNetwork, accountId: string): void {
    const begun = accounts.get(accountId);
    if (begun) {
      begun.isDueAgain = true;
      return;
    }
    const account = { isDueAgain: false };
    accounts.set(accountId, account);
    lastAccount = accountId;
    track(
      settleAccount(network, accountId)
        .finally(() => accounts.delete(accountId))
        // Where the store fails there is no hurry: it would be asked again and again.
        .then(() => (account.isDueAgain || network.isFailing() ? wake() : undefined)),
    );
  }

  /** Takes one charge after another, each when there is a slot to ask about it, until none is due. */
  async function settleAccount(network: GuardedNetwork, accountId: string): Promise<void> {
    do {
      using slot = new DisposableStack();
      const admission = slot.use(await network.admit({ accountId, purpose: "settlement" }));
      hasBeenTurnedAway ||= !admission;
      if (!admission || isEnding) return;
      const nowMs = ports.clock();
      const due = {
        nowMs,
        untilMs: computeLeaseEnd(nowMs),
        limit: 1,
        network: network.name,
        accountId,
      };
      const [charge] = await ports.store.leaseDueCharges(due);
      if (!charge) return;
      track(settleCharge(ports, admission.network, charge).finally(endOf(slot.move())));
    } while (!network.isFailing()); // else it is the next account's turn
  }

  function endOf(slot: Disposable): () => void {
    return () => {
      slot[Symbol.dispose]();
      if (hasBeenTurnedAway) wake();
      hasBeenTurnedAway = false;
    };
  }

  function track(work: Promise<void>): void {
    const tracked = work.catch(broken).finally(() => underWay.delete(tracked));
    underWay.add(tracked);
  }

  return {
    settle,
    /** Begins with nothing more; what is not answered by then is left to another process. */
    end: (): void => {
      isEnding = true;
    },
    /** Resolves when nothing is under way. */
    idle: async (): Promise<void> => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

const batchSize = 100;
/** How long the simulator's charges are left to the process that leased them. */
const simulatorLeaseMs = 2_000;

/** Settles what the simulator has decided and is due; gives how many charges it asked about. */
export async function settleSimulatedCharges(ports: Ports): Promise<number> {
  const nowMs = ports.clock();
  const network = ports.simulator.name;
  const lease = { nowMs, untilMs: nowMs + simulatorLeaseMs, limit: batchSize, network };
  const due = await ports.store.leaseDueCharges(lease);
  listAll(await Promise.allSettled(due.map(async (charge) => settleSimulated(ports, charge))));
  return due.length;
}

/** What the simulator decided stays the simulator's, also while another network is attached. */
async function settleSimulated(ports: Ports, due: DueCharge): Promise<void> {
  const network = ports.networkOf(due.scope);
  await settleCharge(ports, network.isLocal ? network : ports.simulator, due);
}

async function settleCharge(ports: Ports, network: CardNetwork, due: DueCharge): Promise<void> {
  await storeAnswer(ports, due, await askNetwork(network, due));
}

/** The values of all of them; where one failed, its error. */
export function listAll<T>(parts: PromiseSettledResult<T>[]): T[] {
  return parts.map((part) => {
    if (part.status === "rejected") throw part.reason;
    return part.value;
  });
}
