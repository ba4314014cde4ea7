import * as fc from "fast-check";
import { expect, inject, test } from "vitest";
import { openEmptyStore } from "../../testkit/database/open-database.ts";
import { fates, play, story } from "../../testkit/service/charges-model.ts";

// PAYMENTS_MODEL_RUNS=10000 runs more cases. A failure prints its seed and path for fc.assert.
const defaultRuns = inject("postgresUrl") === undefined ? 400 : 40;
const runs = Number(process.env["PAYMENTS_MODEL_RUNS"] ?? defaultRuns);

test(
  "after any failures the records of the network and of the service agree",
  { timeout: 300_000 + runs * 100 },
  async () => {
    const property = fc.asyncProperty(story, fates, fc.scheduler(), async (drawn, faults, s) => {
      const { store, giveBack } = await openEmptyStore();
      await play(store, drawn, () => faults.next().value, s).finally(giveBack);
    });
    await expect(fc.assert(property, { numRuns: runs })).resolves.toBeUndefined();
  },
);
