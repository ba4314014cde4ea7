import { inject } from "vitest";
import { openDriver } from "../../src/open-driver.ts";
import { openStore } from "../../src/store/store.ts";
import { newDatabase } from "../new-database.ts";
import { storeContract } from "./contract.ts";
import { temporaryFile } from "./temporary-file.ts";

storeContract(inject("postgresUrl") ? "PostgreSQL" : "SQLite", async () => {
  const database = await newDatabase(temporaryFile());
  return { open: async () => openStore(await openDriver(database)) };
});
