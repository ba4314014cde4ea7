import type { Store } from "../../../src/service/ports/ports.ts";

/** A database; each opening of it stands for another process. */
export type TestDatabase = { open: () => Promise<Store> };

/** Opens as many stores as a test wants over one new database, and closes them when it has ended. */
export type OpenStores = () => Promise<TestDatabase>;
