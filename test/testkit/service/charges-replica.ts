import type { Scheduler } from "fast-check";
import { webhookSchedule } from "../../../src/service/webhooks/delivery-state.ts";
import {
  createSimulatorNetwork,
  createTestNetwork,
} from "../../../src/service/networks/simulator.ts";
import type { CardNetwork, GuardedNetwork } from "../../../src/service/networks/card-network.ts";
import type { ChallengeOutcome, Store } from "../../../src/service/ports/ports.ts";
import { ids } from "../../../src/service/server/ids.ts";
import { createService } from "../../../src/service/use-cases/service.ts";
import { deadSender } from "./sender-for-test.ts";

export type Service = ReturnType<typeof createService>;

export type ReplicaOptions = {
  store: Store;
  clock: () => number;
  hppExpiryMs: number;
  timeouts?: { keyMs: number; refundMs: number };
  /** Orders the calls; undefined: each is made at once. */
  scheduler: () => Scheduler | undefined;
  observeChallenge: (outcome: ChallengeOutcome) => void;
  broken: (error: unknown) => void;
};

/** Starts a replica attached to a network. The scheduler orders its calls, and those of a killed one never resolve. */
export function startReplica(
  { name, network }: { name: string; network: CardNetwork },
  options: ReplicaOptions,
) {
  const { store, clock, hppExpiryMs, scheduler, observeChallenge, broken } = options;
  const { timeouts = { keyMs: 0, refundMs: 0 } } = options;
  let isKilled = false;
  const inTurn =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      await scheduler()?.schedule(Promise.resolve());
      if (isKilled) return await never();
      const result = await call(...args);
      if (isKilled) return await never();
      return result;
    };
  const own = Object.fromEntries(
    Object.entries(store).map(([method, call]) => [method, inTurn(call as () => Promise<unknown>)]),
  ) as unknown as Store;
  const calls: CardNetwork = {
    ...network,
    charge: inTurn(network.charge.bind(network)),
    lookUp: inTurn(network.lookUp.bind(network)),
    cancel: inTurn(network.cancel.bind(network)),
    refund: inTurn(network.refund.bind(network)),
  };
  const attached: GuardedNetwork = {
    countryOf: (card) => network.countryOf(card),
    name,
    isLocal: false,
    isFailing: () => false,
    admit: async () => ({ network: calls, [Symbol.dispose]: () => {} }),
  };
  const service = createService({
    store: own,
    networkOf: ({ livemode }) => (livemode ? attached : createTestNetwork({ processingTimeMs: 1 })),
    simulator: createSimulatorNetwork({ processingTimeMs: 1 }),
    clock,
    ids,
    publicUrl: () => "https://payments.test",
    hppExpiryMs,
    webhooks: { schedule: webhookSchedule, eventRetentionMs: 60_000, allowsPrivate: true },
    sender: deadSender,
    timeouts,
    observeChallenge,
  });
  const settler = service.createChargeSettler({ wake: () => {}, broken });
  return {
    networkName: name,
    service,
    settleCharges: async () => {
      await settler.settle();
      await settler.idle();
    },
    kill: () => {
      isKilled = true;
    },
    /** The requests that it works on. */
    under: new Set<symbol>(),
  };
}

async function never(): Promise<never> {
  return await new Promise<never>(() => {});
}
