import type { Version } from "./headers.ts";

/** The name of the account that a new database has. Customers are not shown it. */
export const defaultAccountName = "Default";

/** What an operator sees of an account. `created` is in Unix seconds. */
export const accountFields = ["id", "object", "name", "default_version", "created"] as const;
export type Account = {
  id: string;
  object: "account";
  name: string;
  default_version: Version;
  created: number;
};
