import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { inject } from "vitest";

/**
 * Creates an empty database of the kind that this run tests: a schema on PostgreSQL, or a SQLite database in `file`.
 */
export async function newDatabase(file = ":memory:"): Promise<string> {
  const server = inject("postgresUrl");
  return server === undefined ? `sqlite:${file}` : await newSchema(server);
}

/** Creates a schema on a PostgreSQL; returns the URL that selects it. */
export async function newSchema(server: string): Promise<string> {
  const schema = `test_${randomBytes(8).toString("hex")}`;
  const client = new Client(server);
  await client.connect();
  await client.query(`CREATE SCHEMA ${schema}`);
  await client.end();
  return `${server}?options=${encodeURIComponent(`-c search_path=${schema}`)}`;
}

/** Creates a PostgreSQL database with a locale such as `LOCALE 'C'`. */
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
export function formatIcuLocale(language: string): string {
  return `LOCALE_PROVIDER icu ICU_LOCALE '${language}' LOCALE 'C.UTF-8'`;
}
