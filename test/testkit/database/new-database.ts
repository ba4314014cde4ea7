import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { inject } from "vitest";

/**
 * A new, empty database of the kind that this run is for: PostgreSQL, or SQLite in the file that is
 * given, in memory where none is. Of PostgreSQL it is a schema of its own.
 */
export async function newDatabase(file = ":memory:"): Promise<string> {
  const server = inject("postgresUrl");
  return server === undefined ? `sqlite:${file}` : await newSchema(server);
}

/** A schema of its own on a PostgreSQL, as the URL of a database. */
export async function newSchema(server: string): Promise<string> {
  const schema = `test_${randomBytes(8).toString("hex")}`;
  const client = new Client(server);
  await client.connect();
  await client.query(`CREATE SCHEMA ${schema}`);
  await client.end();
  return `${server}?options=${encodeURIComponent(`-c search_path=${schema}`)}`;
}

/** A PostgreSQL database of its own, with a locale such as `LOCALE 'C'`. */
export async function newPostgresDatabase(locale: string): Promise<string> {
  const server = inject("postgresUrl") ?? "";
  const name = `test_${randomBytes(8).toString("hex")}`;
  const client = new Client(server);
  await client.connect();
  await client.query(`CREATE DATABASE ${name} TEMPLATE template0 ${locale}`);
  await client.end();
  return server.replace(/\/postgres$/, `/${name}`);
}

/** A locale that sorts by the rules of a language. */
export function sortedAsIn(language: string): string {
  return `LOCALE_PROVIDER icu ICU_LOCALE '${language}' LOCALE 'C.UTF-8'`;
}
