import { openSqlite } from "../../src/store/sqlite.ts";
import { openStore } from "../../src/store/store.ts";
import { storeContract } from "./contract.ts";
import { temporaryFile } from "./temporary-file.ts";

storeContract("SQLite", async () => {
  const file = temporaryFile();
  return { open: async () => openStore(await openSqlite({ file })) };
});
