import { EnvHttpProxyAgent, type Dispatcher } from "undici";

/** Requests through a proxy. A file of its own, because its modules are loaded only if there is a proxy. */
export function connectThroughProxy(url: string, options: EnvHttpProxyAgent.Options): Dispatcher {
  // The connection to the proxy must not become HTTP/2 either: undici opens no tunnel through that.
  const secure = new URL(url).protocol === "https:" && { proxyTls: { allowH2: false } };
  return new EnvHttpProxyAgent({
    ...options,
    ...secure,
    httpProxy: url,
    httpsProxy: url,
    noProxy: "", // the caller has looked at it
  });
}
