import { Pool } from "undici";
import {
  type DispatchedResponse,
  describeFailure,
  dispatch,
} from "../../runtime/http-transport.ts";
import { type SigningKeys, signWebhook } from "../../runtime/sign-webhook.ts";
import { parseRetryAfter } from "../../runtime/time.ts";
import {
  createGuardedConnector,
  isForbiddenAddress,
  lookUpByDns,
  lookUpBySystem,
} from "./guarded-connector.ts";
import { readAnswerBytes, toAnswerText } from "./record-attempt.ts";
import type { SendOutcome, Webhook, WebhookSender } from "./webhooks-service.ts";
import { attemptTimeoutMs } from "./delivery-state.ts";

export type SenderSettings = {
  /** Lets webhooks reach private addresses. */
  allowPrivate: boolean;
  /** Of the program. */
  version: string;
  /** For all of a request; `attemptTimeoutMs` by default. */
  timeoutMs?: number;
  /** Finds all addresses of a name; by default by DNS, and as the system does where private addresses are allowed. */
  lookUp?: (hostname: string) => Promise<string[]>;
  /** A certificate authority instead of those that Node trusts. */
  ca?: string;
};

const maxResponseBytes = 64 * 1024;
const poolLimits = {
  connections: 64,
  keepAliveTimeout: 4_000, // of an idle connection
  keepAliveMaxTimeout: 30_000, // at most, where the endpoint's Keep-Alive header asks for longer
  // One timeout covers all of a request, see dispatch.
  headersTimeout: 0,
  bodyTimeout: 0,
  allowH2: false,
};
/** With more origins than these, or more connections, those of the origin that was idle longest are closed. */
const maxOrigins = 256;
const maxConnections = 256;

/** Sends webhooks as Standard Webhooks specifies, over persistent connections. */
export function createWebhookSender(settings: SenderSettings): WebhookSender {
  const { allowPrivate, version, timeoutMs = attemptTimeoutMs, ca } = settings;
  const { lookUp = allowPrivate ? lookUpBySystem : lookUpByDns } = settings;
  let connections = 0;
  const open = createGuardedConnector({
    lookUp,
    isForbidden: allowPrivate ? () => false : isForbiddenAddress,
    timeoutMs,
    ca,
  });
  const connect: typeof open = (target, done) =>
    open(target, (...[error, socket]) => {
      if (error) return done(error, null);
      connections++;
      socket.once("close", () => connections--);
      done(null, socket);
    });
  const pools = new Map<string, Pool>();
  const keys: SigningKeys = new Map();

  /** The map is in the order of use: the least recently used idle pool makes room for a new one. */
  function findPool(origin: string): Pool {
    const pool = pools.get(origin) ?? new Pool(origin, { ...poolLimits, connect });
    pools.delete(origin);
    if (pools.size >= maxOrigins || connections > maxConnections) {
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
        const headers = signWebhook({ ...webhook, version }, keys);
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
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(status === 410 && { isGone: true }),
  };
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
