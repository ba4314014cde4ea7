import { expect, test } from "vitest";
import { Unavailable } from "../../../src/runtime/failures.ts";
import type { Store } from "../../../src/service/ports/ports.ts";
import { openNewStore, openTestService } from "../../testkit/service/open-test-service.ts";

async function stateWhere(isCurrent: Store["isCurrent"]) {
  const { service } = await openTestService({ store: { ...(await openNewStore()), isCurrent } });
  return service.checkStore();
}

test("a store that answers and has the schema that is known is ready", async () => {
  const { service } = await openTestService();
  expect(await service.checkStore()).toBe("ready");
});

test("a store whose schema is older is told from one that cannot be reached", async () => {
  expect(await stateWhere(async () => false)).toBe("schema_outdated");
  expect(
    await stateWhere(async () => {
      throw new Unavailable("gone");
    }),
  ).toBe("store_unreachable");
});

test("a store that does not answer within 2 s cannot be reached", async () => {
  const startMs = performance.now();
  expect(await stateWhere(async () => new Promise(() => {}))).toBe("store_unreachable");
  expect(performance.now() - startMs).toBeGreaterThan(1_900);
});
