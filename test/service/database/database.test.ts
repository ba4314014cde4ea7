import { homedir } from "node:os";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describeDatabase, parseDatabase } from "../../../src/service/database/database.ts";

describe("a database is named without its secrets", () => {
  test.each([
    ["sqlite:payments.db", "sqlite:payments.db"],
    ["sqlite:/srv/user:secret@host/payments.db", "sqlite:/srv/user:secret@host/payments.db"],
    ["postgres://host/db", "postgres://host/db"],
    ["postgresql://user:secret@host:5433/db", "postgres://host:5433/db"],
    ["postgres://user:sec%2Fret@[::1]:5432/db?sslmode=require", "postgres://[::1]:5432/db"],
    ["postgres://user:sec@ret@host/db", "postgres://host/db"],
    ["postgres://host/db?user=me&password=secret", "postgres://host/db"],
    ["postgres:///db?host=/run/postgresql&password=secret", "postgres:///db?host=/run/postgresql"],
    [
      "postgres://user:se,cret@one,[::1]:5433,two:5434/db?user=me",
      "postgres://one,[::1]:5433,two:5434/db",
    ],
    ["postgres://%2Frun%2Fpostgresql/db", "postgres:///db?host=/run/postgresql"],
  ])("%s is %s", (database, name) => {
    expect(describeDatabase(database)).toBe(name);
  });

  test.each([
    "postgres://user:se/cret@host/db",
    "postgres://user:12/cret@host",
    "postgres://user:12?cret@host/db",
    "postgres://user:12/cret?x@host/db",
    "postgres://user:12#cret@host/db",
    "postgres://user:12/cret#@host/db",
    "postgres://user:secret",
    "postgres://user:secret%@host/db",
    "mysql://user:secret@host/db",
    "user:secret@host/db",
  ])("%s, where a password may stand anywhere, is not repeated at all", (database) => {
    expect(describeDatabase(database)).toBe("the database");
  });

  test("whatever characters a password has", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (end) => {
        const password = `SECRET${end}SECRET`;
        for (const database of [
          `postgres://user:${password}@host/db`,
          `postgres://user:${encodeURIComponent(password)}@host/db`,
          `postgres://user:${password}@/db?host=/run`,
          `postgres://user:${password}@one,two/db`,
        ])
          expect(describeDatabase(database)).not.toContain("SECRET");
      }),
    );
  });
});

describe("where a database is", () => {
  test("is a file, or a PostgreSQL by its URL", () => {
    expect(parseDatabase("sqlite:payments.db")).toEqual({ file: "payments.db" });
    for (const url of ["postgres://user:secret@host/db", "postgresql:///db?host=/run/postgresql"])
      expect(parseDatabase(url)).toEqual({ url });
  });

  test("is below the user's home where a path begins with ~", () => {
    const home = homedir();
    expect(parseDatabase("sqlite:~/pay/payments.db")).toEqual({ file: `${home}/pay/payments.db` });
    const folder = encodeURIComponent(`${home}/run`);
    const database = "postgres:///db?host=~/run&options=-c%20search_path%3D~/x";
    expect(parseDatabase(database)).toEqual({
      url: `postgres:///db?host=${folder}&options=-c%20search_path%3D~/x`,
    });
    expect(describeDatabase(database)).toBe(`postgres:///db?host=${home}/run`);
    expect(parseDatabase("postgres://u:~p@h/db?sslmode=verify-ca&sslrootcert=%7E/ca.pem")).toEqual({
      url: `postgres://u:~p@h/db?sslmode=verify-ca&sslrootcert=${encodeURIComponent(`${home}/ca.pem`)}`,
    });
  });

  test.each([
    ["payments.db", "sqlite:FILE"],
    ["sqlite:", "sqlite:FILE"],
    ["mysql://user:secret@host/db", "postgres://"],
    ["postgres://user:secret@host", "postgres://USER:PASSWORD@HOST:PORT/NAME"],
    ["postgres://user:sec/ret@host/db", "%2F"],
  ])("may not be %j: the error does not repeat it, and says what it may be", (database, hint) => {
    expect(() => parseDatabase(database)).toThrow(
      expect.objectContaining({
        name: "ConfigError",
        message:
          "The database is not one that this version can use. Check --database or PAYMENTS_DATABASE.",
        hint: expect.stringContaining(hint) as unknown,
      }),
    );
    expect(() => parseDatabase(database)).toThrow(
      expect.objectContaining({ hint: expect.not.stringMatching(/sec\/?ret/) as unknown }),
    );
  });
});
