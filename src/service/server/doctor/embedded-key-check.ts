import { modes } from "../../../contract/key.ts";
import { reportFailure, reportOk } from "../../../contract/doctor-check.ts";
import { quoteForShell } from "../../../runtime/text.ts";
import { hashKey } from "../../accounts/authenticate.ts";
import { createAccountStore } from "../../store/create-account-store.ts";
import type { Driver } from "../../store/driver.ts";
import { findEmbeddedKeys, resolveEmbeddedKeyFile } from "../embedded-keys.ts";
import type { Step } from "./run-steps.ts";

/** Checks the keys of the embedded service, which its first use makes, and which only a revocation ends. */
export function createEmbeddedKeyStep(driver: Driver, folder: string): Step {
  const file = resolveEmbeddedKeyFile(folder);
  return {
    name: "key",
    help: `rm ${quoteForShell(file)}`,
    run: async () => {
      const keys = findEmbeddedKeys(folder);
      if (!keys) return undefined;
      const accounts = createAccountStore(driver);
      for (const mode of modes) {
        const key = (await accounts.findKey(hashKey(keys[mode])))?.key;
        if (key && key.revoked_at !== null) {
          const detail = `The embedded service's own ${mode} key was revoked; without ${file} the next command makes new ones.`;
          return reportFailure("key", detail, `rm ${quoteForShell(file)}`);
        }
      }
      return reportOk("key", "The embedded service has keys of its own.");
    },
  };
}
