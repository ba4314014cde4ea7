import { beforeAll, describe, expect, test } from "vitest";
import { gatherPages } from "../../src/client/list-pages.ts";
import { gather } from "../testkit/gather.ts";
import { body, declining, runningService, visa } from "../testkit/client/running-service.ts";

const service = runningService({ processingTimeMs: 60_000 });
const count = 205;
/** Newest first. */
let made: string[] = [];

beforeAll(async () => {
  const { payments } = service.client();
  const cards = Array.from({ length: count }, (_, index) => (index % 5 === 0 ? declining : visa));
  const created = await Promise.all(cards.map(async (card) => payments.create({ ...body, card })));
  made = created
    .map(({ id }) => id)
    .toSorted()
    .toReversed();
});

const idsOf = async (payments: AsyncIterable<{ id: string }>) =>
  (await gather(payments)).map(({ id }) => id);

describe("over a running service", () => {
  test("all gives every payment once, newest first", async () => {
    const { payments } = service.client();
    const found = await idsOf(payments.all());
    expect(found).toEqual(made);
  });

  test("all with ending_before travels from older to newer", async () => {
    const { payments } = service.client();
    const oldest = made.at(-1) ?? "";
    const found = await idsOf(payments.all({ ending_before: oldest }));
    expect(found).toEqual(made.slice(0, -1).toReversed());
  });

  test("all keeps to its filter over every page", async () => {
    const { payments } = service.client();
    const found = await gather(payments.all({ status: "pending", limit: 10 }));
    expect(found).toHaveLength(count / 5);
    expect(new Set(found.map(({ status }) => status))).toEqual(new Set(["pending"]));
  });

  test("pages are each as the service answered them", async () => {
    const { payments } = service.client();
    const found = await gather(payments.pages({ starting_after: made[0] }));
    expect(found.map(({ data }) => data.length)).toEqual([100, 100, 4]);
    expect(found.map(({ has_more }) => has_more)).toEqual([true, true, false]);
  });

  test("they make one list, newest first in both directions", async () => {
    const { payments } = service.client();
    const older = await gatherPages(payments.pages({ starting_after: made[9] }, 150), {
      backward: false,
    });
    expect(older.data.map(({ id }) => id)).toEqual(made.slice(10, 160));
    expect(older.has_more).toBe(true);
    const newer = await gatherPages(payments.pages({ ending_before: made[160] }, 150), {
      backward: true,
    });
    expect(newer.data.map(({ id }) => id)).toEqual(made.slice(10, 160));
    expect(newer.has_more).toBe(true);
  });
});
