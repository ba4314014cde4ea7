import type { Store } from "../ports/ports.ts";

/** Why the store cannot be worked with; `ready`: it can. */
export type StoreState = "ready" | "store_unreachable" | "schema_outdated";

/**
 * Tells whether the store can be reached and has the schema that this program knows. A newer schema
 * will do: while replicas are replaced one by one the older ones go on working beside it.
 */
export async function checkStore(store: Pick<Store, "isCurrent">): Promise<StoreState> {
  try {
    return (await store.isCurrent()) ? "ready" : "schema_outdated";
  } catch {
    return "store_unreachable";
  }
}
