import { EnvHttpProxyAgent, type Dispatcher } from "undici";
import type { Proxy } from "./proxy.ts";

/** Requests through a proxy. A file of its own: what that takes is loaded only where there is one. */
export function connectThroughProxy(
  { url, except }: Proxy,
  options: EnvHttpProxyAgent.Options,
): Dispatcher {
  // Nor may the connection to the proxy itself become HTTP/2, which undici opens no tunnel through.
  const secure = new URL(url).protocol === "https:" && { proxyTls: { allowH2: false } };
  return new EnvHttpProxyAgent({
    ...options,
    ...secure,
    httpProxy: url,
    httpsProxy: url,
    noProxy: except,
  });
}
