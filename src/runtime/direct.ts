import { Pool, type Dispatcher } from "undici";
import { isLocalName, resolveLocalName } from "./transport-safety.ts";

/** Requests to a service without a proxy. Loaded only when a request is sent. */
export function connectDirectly(
  { origin, hostname }: URL,
  { connectTimeout, ...options }: Pool.Options & { connectTimeout: number },
): Dispatcher {
  const named = isLocalName(hostname) && { lookup: resolveLocalName };
  return new Pool(origin, { ...options, connect: { timeout: connectTimeout, ...named } });
}
