import { Resolver, lookup } from "node:dns/promises";
import { BlockList, type LookupFunction, isIP, isIPv4, isIPv6 } from "node:net";
import { Pool, buildConnector } from "undici";
import {
  type DispatchedResponse,
  describeFailure,
  dispatch,
} from "../../runtime/http-transport.ts";
import { type SigningKeys, signWebhook } from "../../runtime/sign-webhook.ts";
import { parseRetryAfter } from "../../runtime/time.ts";
import { isLocalName, localAddresses } from "../../runtime/transport-safety.ts";
import { readAnswerBytes, toAnswerText } from "./record-attempt.ts";
import type { SendOutcome, Webhook, WebhookSender } from "./webhooks-service.ts";
import { maxRetryAfterMs } from "./delivery-state.ts";

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
/** Beyond so many the connections of an idle origin make room; those in use are as many as webhooks in progress. */
const maxConnections = 256;

/** Sends webhooks as Standard Webhooks specifies, over persistent connections. */
export function createWebhookSender(settings: SenderSettings): WebhookSender {
  const { allowPrivate, version, timeoutMs = 15_000, ca } = settings;
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
    if (pools.size >= maxIdleOrigins || connections > maxConnections) {
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

type Guard = {
  /** Finds all addresses of a name that is not this machine's own. */
  lookUp: (hostname: string) => Promise<string[]>;
  isForbidden: (address: string) => boolean;
  timeoutMs: number;
  /** A certificate authority instead of those that Node trusts. */
  ca: string | undefined;
};

/**
 * Opens the connections of webhooks. Addresses are checked where they are used, because a name's addresses may
 * change between a check and the connection: the address in the URL, those that the connection itself looks up,
 * and, before a byte is sent, the one that it is connected to.
 */
export function createGuardedConnector({
  lookUp,
  isForbidden,
  timeoutMs,
  ca,
}: Guard): buildConnector.connector {
  async function lookUpAllowed(hostname: string) {
    const addresses = isLocalName(hostname) ? localAddresses : await lookUp(hostname);
    if (addresses.some(isForbidden)) throw createForbiddenNameError();
    return addresses.map((address) => ({ address, family: isIP(address) }));
  }
  const lookUpAddress: LookupFunction = (hostname, _options, found) => {
    lookUpAllowed(hostname).then(
      (addresses) => found(null, addresses),
      (error: Error) => found(error, []),
    );
  };
  const limits = { timeout: timeoutMs, allowH2: false };
  const open = buildConnector({ ...limits, lookup: lookUpAddress, autoSelectFamily: true }); // looks up all addresses
  const encrypt = buildConnector({ ...limits, ca, rejectUnauthorized: true });

  return (target, done) => {
    const { hostname, protocol } = target;
    if (isIP(hostname) && isForbidden(hostname)) {
      queueMicrotask(() => done(createForbiddenError(`${hostname} is`), null));
      return;
    }
    const port = target.port || (protocol === "https:" ? "443" : "80");
    open({ hostname, port, protocol: "http:" }, (error, socket) => {
      if (error) done(error, null);
      else if (isForbidden(socket.remoteAddress ?? "")) {
        socket.destroy();
        done(createForbiddenNameError(), null);
      } else if (protocol === "https:") encrypt({ ...target, httpSocket: socket }, done);
      else done(null, socket);
    });
  };
}

/** The message leaves the address out: a merchant must not learn the addresses of names inside this network. */
function createForbiddenNameError(): Error {
  return createForbiddenError("the endpoint's name leads to");
}

function createForbiddenError(what: string): Error {
  return new Error(`${what} a private address, which webhooks may not reach`);
}

/** IPv4 ranges that lead to the service itself, its own network, or no host (IANA's special-purpose registry). */
const forbiddenIpv4 = [
  "0.0.0.0/8", // this host
  "10.0.0.0/8", // private
  "100.64.0.0/10", // a carrier's own, and a cloud's metadata
  "127.0.0.0/8", // loopback
  "168.63.129.16/32", // a cloud's own services, on every machine of it
  "169.254.0.0/16", // link-local, with most clouds' metadata
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocols, and a cloud's metadata
  "192.0.2.0/24", // documentation
  "192.88.99.0/24", // relays of 6to4
  "192.168.0.0/16", // private
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, and broadcast
];

/**
 * The only IPv6 range that is routed between networks. Outside of it are loopback, addresses that hold an IPv4
 * address (mapped, compatible, NAT64), unique local, link-local and multicast ones.
 */
const routedIpv6 = "2000::/3";
const forbiddenIpv6 = [
  "2001::/23", // protocols, among them Teredo, which holds an IPv4 address
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4, which holds an IPv4 address
  "3fff::/20", // documentation
];

const forbidden = createBlockList([...forbiddenIpv4, ...forbiddenIpv6]);
const routed = createBlockList([routedIpv6]);

/** Whether webhooks must not reach an address. Text that is no address, or one with a zone, is forbidden, too. */
export function isForbiddenAddress(address: string): boolean {
  if (isIPv4(address)) return forbidden.check(address, "ipv4");
  if (!isIPv6(address) || address.includes("%")) return true;
  return !routed.check(address, "ipv6") || forbidden.check(address, "ipv6");
}

function createBlockList(ranges: string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = "", prefix] = range.split("/");
    list.addSubnet(network, Number(prefix), isIPv4(network) ? "ipv4" : "ipv6");
  }
  return list;
}
