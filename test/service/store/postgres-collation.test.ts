import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { describe, inject, onTestFinished } from "vitest";
import { openPostgres } from "../../../src/service/store/postgres.ts";
import { openStore } from "../../../src/service/store/store.ts";
import { pagesContract } from "./contract/pages.ts";

// In Danish and Norwegian `aa` comes after `z`, in Welsh `dd` and `ff` are letters: ids follow their bytes.
describe.each(["en-US", "da", "nb", "cy"])(
  "on a database that sorts by the rules of %s",
  (language) => {
    pagesContract(async () => {
      const server = inject("postgresUrl") ?? "";
      const name = `icu_${randomBytes(8).toString("hex")}`;
      const client = new Client(server);
      await client.connect();
      await client.query(
        `CREATE DATABASE ${name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE '${language}' LOCALE 'C.UTF-8'`,
      );
      await client.end();
      const url = server.replace(/\/postgres$/, `/${name}`);
      return {
        open: async () => {
          const store = await openStore(openPostgres(url));
          onTestFinished(async () => store.close());
          return store;
        },
      };
    });
  },
);
