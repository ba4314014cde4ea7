import { setTimeout as delay } from "node:timers/promises";

/** The last state that a page shows. */
const ends = ["paid", "declined", "canceled", "expired", "gone"] as const;
export type End = (typeof ends)[number];
type Shown = End | "open" | "processing" | "at_bank" | "returned" | "overdue";

/** The reaction of a customer whom the bank asks. `leaves`: decides, and does not come back. */
export type Plan = {
  decides: "approve" | "decline" | "nothing";
  afterwards: "comes back" | "cancels" | "leaves";
};

/**
 * A customer's browser, which sends a request again until a service answers, and picks one of the services each time.
 */
export function createPageCustomer(pickUrl: () => string) {
  async function send(path: string, fields?: Record<string, string>): Promise<Response> {
    for (;;) {
      try {
        const body = fields && new URLSearchParams(fields);
        const response = await fetch(`${pickUrl()}${path}`, {
          redirect: "manual",
          ...(body && { method: "POST", body }),
        });
        if (response.status !== 503) return response;
        await response.arrayBuffer();
      } catch {
        // the service was killed
      }
      await delay(50);
    }
  }

  /** The state that the page shows; undefined where the service leads elsewhere, or was killed while it answered. */
  async function visit(path: string): Promise<Shown | undefined> {
    const response = await send(path);
    const text = await response.text().catch(() => "");
    return /<main class="outcome (\w+)"/.exec(text)?.[1] as Shown | undefined;
  }

  /** Looks at the page again until it has come to one of these. */
  async function watch<S extends Shown>(path: string, states: readonly S[]): Promise<S> {
    for (;;) {
      const shown = await visit(path);
      const found = states.find((state) => state === shown);
      if (found) return found;
      await delay(300);
    }
  }

  return {
    /** Sends the card, and does what is planned where the bank asks; returns what the page showed at last. */
    pay: async (
      path: string,
      card: Record<string, string>,
      { plan, decide }: { plan: Plan; decide: (isApproved: boolean) => void },
    ): Promise<End | undefined> => {
      await send(path, card);
      const shown = await watch(path, [...ends, "at_bank"]);
      if (shown !== "at_bank") return shown;
      if (plan.decides !== "nothing") decide(plan.decides === "approve");
      if (plan.afterwards === "leaves") return undefined;
      if (plan.afterwards === "cancels") await send(`${path}/cancel`, {});
      else {
        while ((await visit(`${path}/return`)) === "returned") await delay(300);
      }
      return await watch(path, ends);
    },
  };
}
