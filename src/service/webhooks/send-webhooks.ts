import { lookup, Resolver } from "node:dns/promises";
import { Pool } from "undici";
import { type DispatchedResponse, describeFailure, dispatch } from "../../runtime/dispatch.ts";
import { parseRetryAfter } from "../../runtime/time.ts";
import { signWebhook } from "../../runtime/sign-webhook.ts";
import { readAnswerBytes, toAnswerText } from "./answer-text.ts";
import { maxRetryAfterMs } from "./delivery-state.ts";
import type { SendOutcome, Webhook, WebhookSender } from "./webhook-sender.ts";
import { isForbiddenAddress, createGuardedConnector } from "./guarded-connector.ts";

export type SenderSettings = {
  /** Lets webhooks reach private addresses, and over http. */
  allowPrivate: boolean;
  /** Of the program. */
  version: string;
  /** For all of a request, from the look-up of a name to the last byte of the answer; 15 s by default. */
  timeoutMs?: number;
  /** Finds all addresses of a name; by default as the system does. */
  lookUp?: (hostname: string) => Promise<string[]>;
  /** A certificate authority instead of those that Node trusts. */
  ca?: string;
};

const maxResponseBytes = 64 * 1024;
const poolLimits = {
  connections: 64,
  keepAliveTimeout: 4_000, // of an idle connection
  keepAliveMaxTimeout: 30_000, // the same if the endpoint's Keep-Alive header is longer
  // One timeout covers all of a request, see dispatch.
  headersTimeout: 0,
  bodyTimeout: 0,
  allowH2: false,
};
const maxIdleOrigins = 256;

/** Sends webhooks as Standard Webhooks specifies, over persistent connections. */
export function createWebhookSender(settings: SenderSettings): WebhookSender {
  const { allowPrivate, version, timeoutMs = 15_000, ca } = settings;
  const { lookUp = allowPrivate ? lookUpBySystem : lookUpByDns } = settings;
  const connect = createGuardedConnector({
    lookUp,
    isForbidden: allowPrivate ? () => false : isForbiddenAddress,
    timeoutMs,
    ca,
  });
  const pools = new Map<string, Pool>();

  /** The map is in the order of use: the least recently used idle pool makes room for a new one. */
  function findPool(origin: string): Pool {
    const pool = pools.get(origin) ?? new Pool(origin, { ...poolLimits, connect });
    pools.delete(origin);
    if (pools.size >= maxIdleOrigins) {
      const [idle, idlePool] = pools.entries().find(([, { stats }]) => stats.size === 0) ?? [];
      if (idle) pools.delete(idle);
      void idlePool?.destroy();
    }
    pools.set(origin, pool);
    return pool;
  }

  return {
    send: async (webhook) => {
      try {
        const { origin, pathname, search } = parseEndpointUrl(webhook);
        const { body } = webhook;
        const headers = signWebhook({ ...webhook, version });
        let start = Buffer.alloc(0);
        const onData = (chunk: Uint8Array) => {
          if (start.length >= readAnswerBytes) return;
          start = Buffer.concat([start, chunk.subarray(0, readAnswerBytes - start.length)]);
        };
        const response = await dispatch(
          findPool(origin),
          { origin, path: pathname + search, method: "POST", headers, body },
          { timeoutMs, maxResponseBytes, onData },
        );
        return toOutcome(response, toAnswerText(start), webhook.nowMs);
      } catch (error) {
        const reason = describeDeliveryFailure(error as Error);
        return { outcome: "failed", status: null, error: reason, answer: null };
      }
    },
    close: async () => {
      await Promise.all(pools.values().map(async (pool) => pool.destroy()));
    },
  };
}

/** Throws for a URL to which webhooks are never sent. */
function parseEndpointUrl({ url, allowHttp }: Webhook): URL {
  const parsed = URL.parse(url);
  const isHttp = parsed?.protocol === "http:" && allowHttp;
  if (!parsed || (parsed.protocol !== "https:" && !isHttp))
    throw new Error("the endpoint's URL does not begin with https");
  if (parsed.username || parsed.password)
    throw new Error("the endpoint's URL has a user or password, which webhooks may not have");
  return parsed;
}

function toOutcome(
  { status, headers }: DispatchedResponse,
  answer: string,
  nowMs: number,
): SendOutcome {
  if (status >= 200 && status < 300) return { outcome: "delivered", status, error: null, answer };
  const retryAfterMs = parseRetryAfter(headers["retry-after"], nowMs);
  const isRedirect = status >= 300 && status < 400;
  return {
    outcome: "failed",
    status,
    error: `the endpoint answered ${status}${isRedirect ? ", a redirect, which webhooks do not follow" : ""}`,
    answer,
    ...(retryAfterMs !== undefined && { retryAfterMs: Math.min(retryAfterMs, maxRetryAfterMs) }),
    ...(status === 410 && { isGone: true }),
  };
}

/**
 * Queries name servers without the system's look-up, which has few threads for the whole process: name servers
 * that never answer would block them.
 */
async function lookUpByDns(hostname: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const queries = [resolver.resolve4(hostname), resolver.resolve6(hostname)];
  const answers = await Promise.allSettled(queries);
  const found = answers.flatMap((each) => (each.status === "fulfilled" ? each.value : []));
  const [first] = answers;
  if (found.length === 0 && first?.status === "rejected") throw first.reason;
  return found;
}

/** Finds names that only this machine knows, too. */
async function lookUpBySystem(hostname: string): Promise<string[]> {
  const found = await lookup(hostname, { all: true });
  return found.map(({ address }) => address);
}

const maxLength = 200;

/** For errors whose own messages are meant for programmers, or contain text from the endpoint. */
const sentences: [codeOrName: RegExp, sentence: string][] = [
  [/^ECONNREFUSED$/, "the connection was refused"],
  [/^(?:EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, "the endpoint's address cannot be reached"],
  [/^(?:ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, "the connection was not made in time"],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, "the connection was closed before the answer"],
  [/^(?:ENOTFOUND|ENODATA|EAI_\w+|ESERVFAIL|ETIMEOUT)$/, "the endpoint's name cannot be found"],
  [/^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/, "the port does not speak TLS"],
  [/^CERT_HAS_EXPIRED$/, "the certificate has expired"],
  [/SELF_SIGNED_CERT|^UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)/, "the certificate is not trusted"],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, "the certificate is for another name"],
  [/^UND_ERR_HEADERS_OVERFLOW$/, "the headers of the answer are too large"],
  [/^(?:HTTPParserError|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/, "the answer is not HTTP"],
  [/^UND_ERR_(?:DESTROYED|CLOSED)$/, "the service ended before the answer"],
];

/** The reason why no response came, in a short sentence for the merchant. */
function describeDeliveryFailure(error: Error): string {
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  const [, sentence] = sentences.find(([codeOrName]) => codeOrName.test(code)) ?? [];
  return sentence ?? describeFailure(error).slice(0, maxLength);
}
