import type { CreateHostedBody, CardInput, Payment } from "../../../src/contract/payment.ts";
import { createTestNetwork } from "../../../src/service/networks/simulator.ts";
import type { IdempotentRequest } from "../../../src/service/idempotency/run-idempotently.ts";
import type {
  Charge,
  ChargeOutcome,
  LocalNetwork,
} from "../../../src/service/networks/card-network.ts";
import type { Scope } from "../../../src/service/database/scope.ts";
import { parsePayment } from "../database/read.ts";
import { processingTimeMs, type TestService } from "./open-test-service.ts";

export const hostedBody: CreateHostedBody = { amount: 4999, currency: "eur" };

/** A card as it is typed on a page. */
export const typedVisa = {
  number: "4242 4242 4242 4242",
  expiry: "12/30",
  cvc: "987",
  name: "A. Lovelace",
};

/** Creates a payment with a page, and returns functions to read both. */
export async function openPage(
  { service }: Pick<TestService, "service">,
  scope: Scope,
  fields: Partial<CreateHostedBody> = {},
  request?: IdempotentRequest,
) {
  const body = { ...hostedBody, ...fields };
  const answer = await service.createHostedPayment(scope, body, request);
  const created = JSON.parse(answer.body) as Payment;
  const token = tokenOf(created);
  return {
    created,
    token,
    state: async () => (await service.findPage(token)).state,
    payment: async () => parsePayment(await service.getPayment(scope, created.id)),
  };
}

export function tokenOf({ redirect_url }: Payment): string {
  return redirect_url?.split("/").at(-1) ?? "";
}

/** A network that records its calls, and charges each id once. It answers when `gate` resolves. */
export function createRecordingNetwork() {
  const calls: (Charge & { card: CardInput })[] = [];
  const charged = new Map<string, Promise<ChargeOutcome>>();
  const real = createTestNetwork({ processingTimeMs });
  const network: LocalNetwork = {
    ...real,
    charge: async (charge, card) => {
      calls.push({ ...charge, card });
      const answer = charged.get(charge.id) ?? real.charge(charge, card);
      charged.set(charge.id, answer);
      await counting.gate;
      return await answer;
    },
  };
  const counting = {
    calls,
    charged,
    networkOf: () => network,
    gate: Promise.resolve(),
  };
  return counting;
}
