import { describe, expect, test } from "vitest";
import { parsePostgresUrl, listServerUrls } from "../../../src/service/database/postgres-url.ts";

describe("a PostgreSQL URL needs a host or a socket, and the name of a database", () => {
  test.each([
    "postgres://",
    "postgres://host",
    "postgres://host/",
    "postgres:///db",
    "postgres://user:secret@/db",
    "postgres://user:secret@/db?host=/run/postgresql",
    "postgres://host:port/db",
    "postgres://host:65536/db",
    "postgres://one:5432,two:65536/db",
    "postgres://one,,two/db",
    "postgres://one,two/db?host=/run/postgresql",
    "postgres://ho st/db",
    "postgres://host/db/more",
    "postgres:host/db",
    " postgres://host/db",
  ])("%j is none", (database) => {
    expect(parsePostgresUrl(database)).toBeUndefined();
  });

  test("those of a URL are given as they are", () => {
    expect(parsePostgresUrl("postgres://user@db.example.com:5433,[::1]/pay%20ments")).toEqual({
      servers: [
        { host: "db.example.com", port: "5433" },
        { host: "[::1]", port: "" },
      ],
      database: "pay ments",
    });
  });
});

test("a URL that names several servers is one for each of them", () => {
  expect(listServerUrls("postgres://user:p,w@one:5432,[::1]:5433,two/db?sslmode=require")).toEqual([
    "postgres://user:p,w@one:5432/db?sslmode=require",
    "postgres://user:p,w@[::1]:5433/db?sslmode=require",
    "postgres://user:p,w@two/db?sslmode=require",
  ]);
  for (const url of ["postgres://one/db?options=a,b", "postgres:///db?host=/run/a,b"])
    expect(listServerUrls(url)).toEqual([url]);
});
