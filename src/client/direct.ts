import { Pool, type Dispatcher } from "undici";
import { isLocalName, resolveLocalName } from "./loopback.ts";

/** Requests to a service itself. Like that through a proxy it is loaded where a request is sent. */
export function connectDirectly(
  { origin, hostname }: URL,
  { connectTimeout, ...options }: Pool.Options & { connectTimeout: number },
): Dispatcher {
  const named = isLocalName(hostname) && { lookup: resolveLocalName };
  return new Pool(origin, { ...options, connect: { timeout: connectTimeout, ...named } });
}
