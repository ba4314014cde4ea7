import { onTestFinished } from "vitest";
import { openDriver } from "../../../src/service/store/database.ts";
import { openStore } from "../../../src/service/store/store.ts";
import { openEmptyStore } from "../../testkit/database/open-empty-store.ts";
import { storeContract } from "./contract.ts";
import { addParameters } from "../../testkit/database/open-postgres-for-test.ts";
import { newAccount } from "../../testkit/database/new-account.ts";

// Correctness does not rest on an isolation level, so the strictest one must not change anything of what requests write
// at once.
storeContract(
  "PostgreSQL, every transaction serializable",
  async () => {
    const options = "-c default_transaction_isolation=serializable";
    const { database, giveBack } = await openEmptyStore();
    onTestFinished(giveBack);
    return {
      open: async () =>
        openStore(await openDriver(addParameters(database, { options })), newAccount()),
    };
  },
  { isContended: true },
);
