import { openDriver } from "../../../src/service/store/database.ts";
import { openStore } from "../../../src/service/store/store.ts";
import { newDatabase } from "../../new-database.ts";
import { storeContract } from "./contract.ts";
import { urlWith } from "./open-postgres-for-test.ts";

// Correctness does not rest on an isolation level, so the strictest one must not change anything.
storeContract("PostgreSQL, every transaction serializable", async () => {
  const options = "-c default_transaction_isolation=serializable";
  const database = urlWith(await newDatabase(), { options });
  return { open: async () => openStore(await openDriver(database)) };
});
