import * as fc from "fast-check";
import type { Store } from "../../../src/service/service.ts";
import { createNetworks, faults, type Fault } from "./charges-network.ts";
import { attachedTo, createWorld, type Command } from "./charges-world.ts";

// Three replicas over one store, two of them attached to one network and one to another. Any step may fail.
// fast-check draws the commands and faults; once all work is settled, the networks' records and the service's must
// agree.

const replica = fc.constantFrom(0, 0, 1, 1, 2);
const key = fc.constantFrom("k1", "k2", "k3");
const card = fc.constantFrom("good", "bad", "asked", "asked wrongly");
const cardOnPage = fc.constantFrom("good", "bad", "asked", "asked", "asked wrongly");
const page = fc.nat(3);
const command = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("create"), replica, key, card }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("open page"),
      replica,
      card: fc.option(cardOnPage),
      seconds: fc.option(fc.constantFrom(300, 7_200)),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("pay"), replica, card: cardOnPage, at: page }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom("cancel", "cancel for the merchant"),
      replica,
      at: page,
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("return"), replica, at: page }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("decide at the bank"),
      at: fc.nat(3),
      approves: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("refund"),
      replica,
      at: fc.nat(5),
      key: fc.option(fc.constantFrom("r1", "r2")),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("settle"), replica }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("kill"), replica }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("arrive") }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("wait"),
      ms: fc.oneof(
        fc.constantFrom(500, 3_000, 16_000, 31_000, 61_000, 90_000, -30_000),
        fc.constantFrom(500, 3_000, 16_000, 31_000, 1_800_000, 3_700_000),
      ),
    }),
  },
) satisfies fc.Arbitrary<Command>;
/** The number of steps after each command: often none, so that much work runs concurrently. */
const stepsAfter = fc.oneof(fc.constant(0), fc.nat(12));
/** Pages expire before the bank's time for the customer is over, or after it. */
export const story = fc.record({
  commands: fc.array(fc.tuple(command, stepsAfter), { minLength: 4, maxLength: 28 }),
  hppExpiryMs: fc.constantFrom(60_000, 2 * 60 * 60 * 1_000),
  /** The decisions of customers who are at the bank in the end. */
  lastDecisions: fc.array(fc.boolean(), { maxLength: 3 }),
});
export const fates = fc.infiniteStream(fc.constantFrom(...faults));

type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;

export async function play(
  store: Store,
  { commands, hppExpiryMs, lastDecisions }: Story,
  nextFault: () => Fault,
  scheduler: fc.Scheduler,
): Promise<void> {
  const accountId = (await store.listAccounts())[0]?.id ?? "";
  const networks = createNetworks(attachedTo, nextFault);
  const scope = { accountId, livemode: true };
  const world = createWorld({ store, scope, hppExpiryMs }, networks, scheduler);
  for (const [each, steps] of commands) {
    world.begin(each);
    for (let step = 0; step < steps; step++) await world.step();
  }
  await world.finish();
  for (const approves of lastDecisions) networks.decideAtBank(0, approves);
  await world.settle();
  await world.check();
  networks.arrive(); // what comes when all is over changes nothing
  await world.check();
}
