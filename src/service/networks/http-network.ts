import type * as z from "zod";
import { describeFailure } from "../../runtime/dispatch.ts";
import { createHttpTransport, type TransportAnswer } from "../../runtime/http-transport.ts";
import { assertConfidential } from "../../runtime/transport-safety.ts";
import { unknownCountry } from "../../contract/card.ts";
import { maskCardNumbers } from "../../contract/card-in-text.ts";
import type { CardInput } from "../../contract/payment.ts";
import { tryParseJson } from "../../runtime/json.ts";
import type { LookUpOutcome, Unknown } from "../domain/charge-state.ts";
import type { CardNetwork, Charge, NetworkOutcome } from "../ports/card-network.ts";
import {
  cancelAnswer,
  chargeAnswer,
  lookUpAnswer,
  refundAnswer,
  notFoundAnswer,
} from "./http-answers.ts";
import { type ChargedCard, maskOutcome } from "./mask-outcome.ts";

export type HttpNetworkSettings = {
  /** The adapter's address, without a slash at the end. */
  url: string;
  /** Undefined only where the check of an adapter expects a refusal. */
  secret: string | undefined;
  /** Of this program. */
  version: string;
  /** How long the adapter may take for a whole answer; 10 s by default. */
  timeoutMs?: number;
  /** Sends card numbers over plain http to another machine. */
  allowHttp?: boolean | undefined;
};
export type HttpNetwork = CardNetwork & {
  /** Asks about a charge that the network cannot know. */
  probe: (charge: Charge) => Promise<LookUpOutcome>;
  close: () => Promise<void>;
};

/** `card`: what is known of the charged card. */
type Request = { method: "GET" | "POST"; path: string; body?: object; card?: ChargedCard };
/** The schema of an answer, by its status. */
type Answers<T extends NetworkOutcome> = Record<number, z.ZodType<T>>;

/**
 * An answer does not say which charge it is about. So each has a connection of its own: on one that is used again, an
 * answer that an adapter or a proxy sends twice would be read as that of the next charge.
 */
const limits = { connections: 64, maxResponseBytes: 64 * 1024, isReused: false };

/**
 * The card network behind the operator's adapter: docs/network-protocol.md. Throws a `TypeError` for an address on the
 * way to which others could read card numbers.
 */
export function createHttpNetwork(settings: HttpNetworkSettings): HttpNetwork {
  const { url, secret, version, timeoutMs = 10_000, allowHttp } = settings;
  assertConfidential(url, { what: "card numbers", option: "network.url", allowHttp, isLive: true });
  const transport = createHttpTransport(url, limits);
  const headers = buildHeaders(secret, version);

  async function ask<T extends NetworkOutcome>(
    { body, card, ...line }: Request,
    answers: Answers<T>,
  ): Promise<T | Unknown> {
    try {
      const answer = await transport.send({
        ...line,
        headers: { ...headers, ...(body && { "content-type": "application/json" }) },
        ...(body && { body: JSON.stringify(body) }),
        timeoutMs,
      });
      return maskOutcome(parseAnswer(answer, answers), card);
    } catch (error) {
      return { outcome: "unknown", reason: maskCardNumbers(describeFailure(error)) };
    }
  }

  const lookUp = async (charge: Charge) =>
    ask<LookUpOutcome>(
      { method: "GET", path: toPath(charge), card: { last4: charge.last4 } },
      { 200: lookUpAnswer, 404: notFoundAnswer },
    );

  return {
    countryOf: () => unknownCountry,
    charge: async (charge, card) => {
      const body = toChargeBody(charge, card);
      const request = { method: "POST", path: "/charges", body, card } as const;
      return await ask(request, { 200: chargeAnswer });
    },
    lookUp,
    probe: lookUp,
    cancel: async (charge) =>
      ask({ method: "POST", path: `${toPath(charge)}/cancel` }, { 200: cancelAnswer }),
    refund: async (charge) => {
      const { amount, currency } = charge;
      const path = `${toPath(charge)}/refund`;
      return await ask({ method: "POST", path, body: { amount, currency } }, { 200: refundAnswer });
    },
    close: async () => transport.close(),
  };
}

export function buildHeaders(secret: string | undefined, version: string): Record<string, string> {
  return {
    ...(secret !== undefined && { authorization: `Bearer ${secret}` }),
    "user-agent": `payments/${version}`,
  };
}

export function isSecretRefused(status: number): boolean {
  return status === 401 || status === 403;
}

export function toSecretRefused(status: number): Unknown {
  const reason = `the adapter refused the secret (HTTP ${status})`;
  return { outcome: "unknown", reason, isRefused: true };
}

function toPath({ id }: Charge): string {
  return `/charges/${encodeURIComponent(id)}`;
}

function toChargeBody(charge: Charge, { holder_name = null, ...card }: CardInput): object {
  const { id, accountId: account, amount, currency, description, customer, returnUrl } = charge;
  return {
    id,
    account,
    amount,
    currency,
    description,
    card: { ...card, holder_name },
    customer,
    return_url: returnUrl,
  };
}

/** The reason repeats nothing of an invalid answer, which may hold card data. */
function parseAnswer<T extends NetworkOutcome>(
  { status, body }: TransportAnswer,
  answers: Answers<T>,
): T | Unknown {
  const answer = answers[status]?.safeParse(tryParseJson(body));
  if (answer?.success) return answer.data;
  if (isSecretRefused(status)) return toSecretRefused(status);
  const reason = status === 200 ? "the answer breaks the protocol" : `HTTP ${status}`;
  return { outcome: "unknown", reason };
}
