import * as z from "zod";
import {
  type TransportAnswer,
  createHttpTransport,
  describeFailure,
} from "../../runtime/http-transport.ts";
import { isCardNumber, maskCardNumbers } from "../../contract/card-in-text.ts";
import { unknownCountry } from "../../contract/card.ts";
import type { CardInput } from "../../contract/payment.ts";
import { isDeclineCode, transactionTypes } from "../../contract/field-values.ts";
import { tryParseJson } from "../../runtime/text.ts";
import { assertConfidential } from "../../runtime/transport-safety.ts";
import type {
  CardNetwork,
  Charge,
  Declined,
  LookUpOutcome,
  NetworkOutcome,
  Unknown,
} from "./card-network.ts";
import {
  challengeUrl,
  genericDecline,
  maskOutcome,
  reference,
  type ChargedCard,
} from "./network-answers.ts";
import type { PageOutcome, TransactionSource } from "./network-transactions.ts";

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

/**
 * An answer does not say which charge it is about. So each has a connection of its own: on one that is used again, an
 * answer that an adapter or a proxy sends twice would be read as that of the next charge.
 */
const chargeLimits = { connections: 64, maxResponseBytes: 64 * 1024, isReused: false };
const transactionLimits = { connections: 1, maxResponseBytes: 1024 * 1024 };

/**
 * The card network behind the operator's adapter: docs/network-protocol.md. Throws a `TypeError` for an address on the
 * way to which others could read card numbers.
 */
export function createHttpNetwork(settings: HttpNetworkSettings): HttpNetwork {
  const { ask, close } = connectAdapter(settings, "card numbers", chargeLimits);

  /** `card`: what is known of the charged card. */
  const askAbout = async <T extends NetworkOutcome>(
    { card, ...request }: Request & { card?: ChargedCard },
    answers: Answers<T>,
  ): Promise<T | Unknown> =>
    ask(request, (answer) => maskOutcome(parseAnswer(answer, answers), card));

  const lookUp = async (charge: Charge) =>
    askAbout<LookUpOutcome>(
      { method: "GET", path: toPath(charge), card: { last4: charge.last4 } },
      { 200: lookUpAnswer, 404: notFoundAnswer },
    );

  return {
    countryOf: () => unknownCountry,
    charge: async (charge, card) => {
      const body = toChargeBody(charge, card);
      const request = { method: "POST", path: "/charges", body, card } as const;
      return await askAbout(request, { 200: chargeAnswer });
    },
    lookUp,
    probe: lookUp,
    cancel: async (charge) =>
      askAbout({ method: "POST", path: `${toPath(charge)}/cancel` }, { 200: cancelAnswer }),
    refund: async (charge) => {
      const { amount, currency } = charge;
      const request = { method: "POST", path: `${toPath(charge)}/refund` } as const;
      return await askAbout({ ...request, body: { amount, currency } }, { 200: refundAnswer });
    },
    close,
  };
}

/** The statuses of an adapter that has no such path, or does not support it. */
const notOffered = new Set([404, 405, 501]);

/** The transactions of the operator's adapter. Throws a `TypeError` as `createHttpNetwork` does. */
export function createHttpTransactions(settings: HttpNetworkSettings): TransactionSource {
  const { ask, close } = connectAdapter(settings, "the secret", transactionLimits);
  return {
    readPage: async ({ from, to }, cursor): Promise<PageOutcome> => {
      const query = new URLSearchParams({ from: String(from), to: String(to) });
      if (cursor !== null) query.set("cursor", cursor);
      const path = `/transactions?${query.toString()}`;
      return await ask<PageOutcome>({ method: "GET", path }, ({ status, body }) => {
        if (notOffered.has(status)) return { outcome: "not_offered", status };
        if (isSecretRefused(status)) return toSecretRefused(status);
        if (status !== 200) return { outcome: "unknown", reason: `HTTP ${status}` };
        const answer = transactionsPage.safeParse(tryParseJson(body));
        if (!answer.success) return { outcome: "unknown", reason: protocolBroken, isInvalid: true };
        const { data, next_cursor: next } = answer.data;
        return { outcome: "listed", transactions: data, next };
      });
    },
    close,
  };
}

type Request = { method: "GET" | "POST"; path: string; body?: object };

/** `what` is what others could read on the way to an address that is not safe. */
function connectAdapter(
  { url, secret, version, timeoutMs = 10_000, allowHttp }: HttpNetworkSettings,
  what: "card numbers" | "the secret",
  limits: Parameters<typeof createHttpTransport>[1],
) {
  assertConfidential(url, { what, option: "network.url", allowHttp, isLive: true });
  const transport = createHttpTransport(url, limits);
  const headers = buildHeaders(secret, version);
  return {
    /** Reads the answer to a request; one that does not come, or cannot be read, is unknown. */
    ask: async <T>(
      { body, ...line }: Request,
      read: (answer: TransportAnswer) => T,
    ): Promise<T | Unknown> => {
      try {
        const answer = await transport.send({
          ...line,
          headers: { ...headers, ...(body && { "content-type": "application/json" }) },
          ...(body && { body: JSON.stringify(body) }),
          timeoutMs,
        });
        return read(answer);
      } catch (error) {
        return { outcome: "unknown", reason: maskCardNumbers(describeFailure(error)) };
      }
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

const protocolBroken = "the answer breaks the protocol";

/** The schema of an answer, by its status. */
type Answers<T extends NetworkOutcome> = Record<number, z.ZodType<T>>;

/** The reason repeats nothing of an invalid answer, which may hold card data. */
function parseAnswer<T extends NetworkOutcome>(
  { status, body }: TransportAnswer,
  answers: Answers<T>,
): T | Unknown {
  const answer = answers[status]?.safeParse(tryParseJson(body));
  if (answer?.success) return answer.data;
  if (isSecretRefused(status)) return toSecretRefused(status);
  return { outcome: "unknown", reason: status === 200 ? protocolBroken : `HTTP ${status}` };
}

// The answers, parsed into outcomes. Other fields are ignored.

const approved = z.object({ outcome: z.literal("approved"), reference });
const canceled = z.object({ outcome: z.literal("canceled") });
const refunded = z.object({ outcome: z.literal("refunded"), reference });
const declined = z
  .object({ outcome: z.literal("declined"), code: z.string().min(1), message: z.string() })
  .transform(({ outcome, code }): Declined =>
    isDeclineCode(code) ? { outcome, code } : genericDecline(code),
  );

const secondsToMs = z
  .number()
  .min(1)
  .max(86_400)
  .transform((seconds) => Math.ceil(seconds * 1000));
const stillProcessing = z.object({
  outcome: z.literal("processing"),
  ask_again_in: secondsToMs,
});
const toProcessing = <A extends { ask_again_in: number }>({
  ask_again_in: retryAfterMs,
  ...rest
}: A) => ({
  ...rest,
  retryAfterMs,
});
const processing = stillProcessing.transform(toProcessing);
const processingCharge = stillProcessing.extend({ reference }).transform(toProcessing);
const action = stillProcessing
  .extend({ outcome: z.literal("action"), reference, url: challengeUrl })
  .transform(toProcessing);

const chargeAnswer = z.union([approved, declined, processingCharge, action]);
const lookUpAnswer = z.union([approved, declined, processingCharge, action, canceled]);
const cancelAnswer = z.union([canceled, processing]);
const refundAnswer = z.union([refunded, declined, processing]);

/** The answer with 404 to the look-up of a charge that never arrived. */
const notFoundAnswer = z
  .object({ outcome: z.literal("unknown") })
  .transform(() => ({ outcome: "not_found" as const }));

const maxTransactionsAPage = 1_000;

const transaction = z.object({
  payment: z
    .string()
    .min(1)
    .max(255)
    .nullable()
    .transform((id) => maskCardNumbers(id ?? "")),
  type: z.enum(transactionTypes),
  amount: z
    .int()
    .min(0)
    .refine((amount) => !isCardNumber(amount)),
  currency: z.string().regex(/^[a-z]{3}$/),
  created: z.int().min(0),
});
const transactionsPage = z.object({
  data: z.array(transaction).max(maxTransactionsAPage),
  next_cursor: z.string().min(1).max(255).nullable(),
});
