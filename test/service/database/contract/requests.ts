import { expect } from "vitest";
import { describe, test } from "./contended.ts";
import type { Range } from "../../../../src/service/database/listing.ts";
import { maxIdOf, toIdBound } from "../../../../src/service/database/ids.ts";
import type { Store } from "../../../../src/service/service.ts";
import type {
  RequestFilters,
  StoredRequest,
} from "../../../../src/service/requests/requests-store.ts";
import type { OpenStores } from "../../../testkit/database/open-database.ts";
import { scope } from "./writes.ts";

const range: Range = { below: maxIdOf("req_"), above: "", direction: "forward", limit: 10 };
export const everything: Range & RequestFilters = {
  ...range,
  statuses: undefined,
  method: undefined,
  paymentId: undefined,
  idempotencyKey: undefined,
};

/** An id of a time in Unix seconds. */
const idAt = (seconds: number, end = "1") => `${toIdBound("req_", seconds)}-7000-8000-${end}`;

export function requestAt(seconds: number, fields: Partial<StoredRequest> = {}): StoredRequest {
  return {
    scope,
    id: idAt(seconds),
    method: "POST",
    path: "/v1/payments",
    status: 201,
    durationMs: 1.5,
    keyId: "key_1",
    keyName: "shop 😀",
    errorCode: null,
    errorParam: null,
    paymentId: null,
    idempotencyKey: null,
    isReplayed: false,
    ...fields,
  };
}

async function secondsOf(store: Store, query: Partial<Range & RequestFilters> = {}) {
  const { items, hasMore } = await store.listRequests(scope, { ...everything, ...query });
  const seconds = items.map(({ id }) => [1, 2, 3, 4, 5, 6].find((each) => idAt(each) === id));
  return hasMore ? [...seconds, "more"] : seconds;
}

/** One request of each kind, at 1 to 6 s. */
const several = [
  requestAt(1, { paymentId: "pay_1", idempotencyKey: "a" }),
  requestAt(2, { paymentId: "pay_1", idempotencyKey: "a", isReplayed: true }),
  requestAt(3, { method: "GET", status: 404, errorCode: "resource_missing", errorParam: "id" }),
  requestAt(4, { status: 400, errorCode: "parameter_invalid", idempotencyKey: "b" }),
  requestAt(5, { method: "DELETE", status: 200 }),
  requestAt(6, { status: 503, errorCode: "service_unavailable", paymentId: "pay_2" }),
];

export function requestsContract(stores: OpenStores): void {
  const open = async () => {
    const store = await (await stores()).open();
    await store.logRequests(several);
    return store;
  };

  describe("the log of requests", () => {
    test("returns each request as it was written, in its own account and mode alone", async () => {
      const store = await open();
      expect((await store.listRequests(scope, everything)).items).toEqual(several.toReversed());
      const [first] = several;
      expect(await store.findRequest(scope, idAt(1))).toEqual(first);
      for (const other of [
        { ...scope, livemode: !scope.livemode },
        { ...scope, accountId: "acct_other" },
      ]) {
        expect(await store.findRequest(other, idAt(1))).toBeUndefined();
        expect((await store.listRequests(other, everything)).items).toEqual([]);
      }
    });

    test("has a request once, however often it is written", async () => {
      const store = await open();
      const other = { ...scope, accountId: "acct_other" };
      await store.logRequests([...several, requestAt(9, { scope: other })], true);
      expect((await store.listRequests(scope, everything)).items).toHaveLength(several.length);
      expect((await store.listRequests(other, everything)).items).toHaveLength(1);
    });

    test.for<[Partial<Range & RequestFilters>, (number | string)[]]>([
      [{ statuses: [400, 404, 503] }, [6, 4, 3]],
      [{ statuses: [201], limit: 1 }, [2, "more"]],
      [{ statuses: [409] }, []],
      [{ statuses: [400, 404], method: "GET" }, [3]],
      [{ statuses: [200, 201], method: "GET" }, []],
      [{ statuses: [200, 201] }, [5, 2, 1]],
      [{ statuses: [200], method: "DELETE" }, [5]],
      [{ method: "DELETE" }, [5]],
      [{ method: "GET" }, [3]],
      [{ paymentId: "pay_1" }, [2, 1]],
      [{ paymentId: "pay_1", statuses: [400] }, []],
      [{ paymentId: "pay_1", idempotencyKey: "a", method: "POST", statuses: [201] }, [2, 1]],
      [{ idempotencyKey: "a" }, [2, 1]],
      [{ idempotencyKey: "b" }, [4]],
      [{ idempotencyKey: "c" }, []],
      [{ above: idAt(2), below: idAt(5) }, [4, 3]],
      [{ above: idAt(2), direction: "backward", limit: 2 }, [4, 3, "more"]],
      [
        { above: idAt(2), direction: "backward", statuses: [400, 404, 503], limit: 2 },
        [4, 3, "more"],
      ],
    ])("is listed by %j", async ([query, expected]) => {
      expect(await secondsOf(await open(), query)).toEqual(expected);
    });

    test("counts from newer to older, and deletes the oldest below an id", async () => {
      const store = await open();
      expect(await store.skipRequests(scope, maxIdOf("req_"), 0)).toBe(idAt(6));
      expect(await store.skipRequests(scope, idAt(6), 2)).toBe(idAt(3));
      expect(await store.skipRequests(scope, idAt(6), 5)).toBeUndefined();
      expect(await store.purgeRequests(scope, idAt(4), 2)).toBe(2);
      expect(await secondsOf(store)).toEqual([6, 5, 4, 3]);
      expect(await store.purgeRequests(scope, idAt(4), 2)).toBe(1);
      expect(await secondsOf(store)).toEqual([6, 5, 4]);
    });
  });
}
