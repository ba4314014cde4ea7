import { EnvHttpProxyAgent, type Dispatcher } from "undici";
import type { Proxy } from "./proxy.ts";

/** Requests through a proxy. A file of its own: what that takes is loaded only where there is one. */
export function throughProxy(
  { url, except }: Proxy,
  options: EnvHttpProxyAgent.Options,
): Dispatcher {
  return new EnvHttpProxyAgent({ ...options, httpProxy: url, httpsProxy: url, noProxy: except });
}
