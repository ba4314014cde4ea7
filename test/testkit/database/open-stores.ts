import type { Store } from "../../../src/service/ports/ports.ts";

/** A database; each store that opens it stands for another process. */
export type TestDatabase = { open: () => Promise<Store> };

/** Creates a new database for any number of stores, which are closed when the test has ended. */
export type OpenStores = () => Promise<TestDatabase>;
