import { onTestFinished } from "vitest";
import { openStore } from "../../../src/service/server/open-service.ts";
import { openEmptyDatabase } from "../../testkit/database/open-database.ts";
import { storeContract } from "./contract.ts";
import { newAccount } from "../../testkit/database/records.ts";

// Correctness does not rest on an isolation level, so the strictest one must not change anything of what requests write
// at once.
storeContract(
  "PostgreSQL, every transaction serializable",
  async () => {
    const options = "-c default_transaction_isolation=serializable";
    const { openAnother, giveBack } = await openEmptyDatabase({ options });
    onTestFinished(giveBack);
    return { open: async () => openStore(await openAnother(), newAccount()) };
  },
  { isContendedOnly: true },
);
