import { inject } from "vitest";
import { openDriver } from "../../../src/service/store/database.ts";
import { openStore } from "../../../src/service/store/store.ts";
import { newDatabase } from "../../new-database.ts";
import { storeContract } from "./contract.ts";
import { temporaryFile } from "./temporary-file.ts";

storeContract(inject("postgresUrl") ? "PostgreSQL" : "SQLite", async () => {
  const database = await newDatabase(temporaryFile());
  return { open: async () => openStore(await openDriver(database)) };
});
