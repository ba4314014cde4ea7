import type { Store } from "../../../src/service/ports/ports.ts";

/** A database; each store that opens it stands for another process. */
type TestDatabase = { open: () => Promise<Store> };

/** Opens an empty database for any number of stores; it is given back when the test has ended. */
export type OpenStores = () => Promise<TestDatabase>;
