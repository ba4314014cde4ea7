import * as vitest from "vitest";
import type { Store } from "../../../../src/service/service.ts";
import type { OpenStores } from "../../../testkit/database/open-database.ts";

const { describe: begin } = vitest;

/** Vitest's, whose tests are given an empty store. */
const giveStore = (stores: OpenStores) =>
  vitest.test.extend("store", async () => (await stores()).open());

type StoreTest = ReturnType<typeof giveStore>;

let isContendedOnly = false;
let path: string[] = [];
let add: StoreTest;

/** Registers contracts; with `isContendedOnly`, only their tests of what contends. */
export function registerTests(
  stores: OpenStores,
  options: { isContendedOnly: boolean },
  register: () => void,
): void {
  add = giveStore(stores);
  isContendedOnly = options.isContendedOnly;
  test = isContendedOnly ? noTest : add;
  register();
}

const noTest = Object.assign(() => {}, {
  each: () => () => {},
  for: () => () => {},
}) as unknown as StoreTest;

/** A test of one request after the other, which an isolation level cannot change. */
export let test: StoreTest;

/** A test of what several requests or processes do at once. */
export function contended(name: string, run: (given: { store: Store }) => Promise<void>): void {
  add([...path, name].join(" "), run);
}

/** As Vitest's, but without a group of its own where that might have no test. */
export function describe(name: string, register: () => void): void {
  if (!isContendedOnly) {
    begin(name, register);
    return;
  }
  path.push(name);
  register();
  path = path.slice(0, -1);
}
