import { afterAll } from "vitest";
import { ids, parseCreated } from "../../../src/service/database/ids.ts";

// Ids only increase, so those that a file makes under a clock ahead of time hold back the ids of the worker's next
// files: these would all have one millisecond. Such a file has to be among the isolated ones.
afterAll(() => {
  const aheadS = parseCreated(ids.payment()) - Date.now() / 1000;
  if (aheadS > 0) throw new Error(`New ids are ${aheadS.toFixed(1)} s ahead of the time.`);
});
