import * as z from "zod";
import { describeFailure } from "../../runtime/dispatch.ts";
import { createHttpTransport } from "../../runtime/http-transport.ts";
import { assertConfidential } from "../../runtime/transport-safety.ts";
import { isCardNumber, maskCardNumbers } from "../../contract/card-in-text.ts";
import { transactionTypes } from "../../contract/transaction-type.ts";
import { tryParseJson } from "../../runtime/json.ts";
import {
  type HttpNetworkSettings,
  buildHeaders,
  isSecretRefused,
  toSecretRefused,
} from "./http-network.ts";
import type { PageOutcome, TransactionSource } from "./transactions.ts";

const maxTransactionsAPage = 1_000;
const limits = { connections: 1, maxResponseBytes: 1024 * 1024 };

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
const page = z.object({
  data: z.array(transaction).max(maxTransactionsAPage),
  next_cursor: z.string().min(1).max(255).nullable(),
});

/** The statuses of an adapter that has no such path, or does not support it. */
const notOffered = new Set([404, 405, 501]);

/** The transactions of an operator's adapter: docs/network-protocol.md. */
export function createHttpTransactions(settings: HttpNetworkSettings): TransactionSource {
  const { url, secret, version, timeoutMs = 10_000, allowHttp } = settings;
  assertConfidential(url, { what: "the secret", option: "network.url", allowHttp, isLive: true });
  const transport = createHttpTransport(url, limits);
  const headers = buildHeaders(secret, version);
  return {
    readPage: async ({ from, to }, cursor): Promise<PageOutcome> => {
      const query = new URLSearchParams({ from: String(from), to: String(to) });
      if (cursor !== null) query.set("cursor", cursor);
      try {
        const path = `/transactions?${query.toString()}`;
        const { status, body } = await transport.send({ method: "GET", path, headers, timeoutMs });
        if (notOffered.has(status)) return { outcome: "not_offered", status };
        if (isSecretRefused(status)) return toSecretRefused(status);
        if (status !== 200) return { outcome: "unknown", reason: `HTTP ${status}` };
        const answer = page.safeParse(tryParseJson(body));
        if (!answer.success) {
          const reason = "the answer breaks the protocol";
          return { outcome: "unknown", reason, isInvalid: true };
        }
        const { data, next_cursor: next } = answer.data;
        return { outcome: "listed", transactions: data, next };
      } catch (error) {
        return { outcome: "unknown", reason: maskCardNumbers(describeFailure(error)) };
      }
    },
    close: async () => transport.close(),
  };
}
