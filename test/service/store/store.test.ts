import { inject, onTestFinished } from "vitest";
import { openDriver } from "../../../src/service/store/database.ts";
import { openStore } from "../../../src/service/store/store.ts";
import { openEmptyStore } from "../../open-empty-store.ts";
import { storeContract } from "./contract.ts";
import { temporaryFile } from "./temporary-file.ts";
import { newAccount } from "./new-account.ts";

storeContract(inject("postgresUrl") ? "PostgreSQL" : "SQLite", async () => {
  const database = await emptyDatabase();
  return { open: async () => openStore(await openDriver(database), newAccount()) };
});

async function emptyDatabase(): Promise<string> {
  if (!inject("postgresUrl")) return `sqlite:${temporaryFile()}`;
  const { database, giveBack } = await openEmptyStore();
  onTestFinished(giveBack);
  return database;
}
