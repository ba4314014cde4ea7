import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { queryRows, writeShared, type Driver } from "../../../src/service/database/driver.ts";
import { openSqlite } from "../../../src/service/database/sqlite.ts";
import { temporaryFile } from "../../testkit/temporary.ts";
import { openFile } from "../../testkit/database/open-database.ts";
import { countTurns } from "../../testkit/database/watched-driver.ts";

/** A parent must be there, but only when its child is committed: so a commit itself can fail. */
const schema = [
  "CREATE TABLE parents (id TEXT PRIMARY KEY)",
  "CREATE TABLE children (id TEXT PRIMARY KEY, parent TEXT REFERENCES parents DEFERRABLE INITIALLY DEFERRED)",
];

async function openWithTables() {
  const opened = await openFile();
  for (const sql of schema) await opened.driver.write(() => queryRows(sql, []));
  return opened;
}

async function insert(driver: Driver, id: string): Promise<string> {
  return await driver.write(function* () {
    yield* queryRows("INSERT INTO parents (id) VALUES ($1)", [id]);
    return id;
  });
}

async function insertOrphan(driver: Driver, id: string): Promise<string> {
  return await driver.write(function* () {
    yield* queryRows("INSERT INTO children (id, parent) VALUES ($1, $2)", [id, "nobody"]);
    return id;
  });
}

async function idsIn(driver: Driver, table: string): Promise<string[]> {
  const rows = await driver.read(() => queryRows<{ id: string }>(`SELECT id FROM ${table}`, []));
  return rows.map(({ id }) => id).toSorted();
}

/** How many commits the write-ahead log holds: the frame that ends one says the database's size. */
function commitsIn(file: string): number {
  const log = readFileSync(`${file}-wal`);
  const frameBytes = 24 + log.readUInt32BE(8);
  let commits = 0;
  for (let at = 32; at < log.length; at += frameBytes)
    if (log.readUInt32BE(at + 4) > 0) commits += 1;
  return commits;
}

describe("writes made at the same time", () => {
  test.each([
    { writes: 1, commits: 1 },
    { writes: 100, commits: 1 },
    { writes: 300, commits: 2 },
  ])("share a commit: $writes take $commits", async ({ writes, commits }) => {
    const { driver, file } = await openWithTables();
    const before = commitsIn(file);
    const ids = Array.from({ length: writes }, (_, i) => `id ${i}`);
    const answers = await Promise.all(ids.map(async (id) => insert(driver, id)));
    expect(answers).toEqual(ids);
    expect(commitsIn(file) - before).toBe(commits);
    expect(await idsIn(driver, "parents")).toEqual(ids.toSorted());
  });

  test("share statements where they are of one kind and have other keys, and each has its own outcome", async () => {
    const { driver, file } = await openWithTables();
    const sets: string[][] = [];
    function* insertAll(ids: string[]) {
      sets.push(ids);
      for (const id of ids) yield* queryRows("INSERT INTO parents (id) VALUES ($1)", [id]);
      return ids.map((id) => () => {
        if (id === "b") throw new Error("The outcome of b.");
        return id;
      });
    }
    const share = (id: string, key = id) =>
      writeShared(
        driver,
        { item: () => id, keys: () => [key], bytes: () => 0, write: insertAll },
        undefined,
      );
    const before = commitsIn(file);
    const results = await Promise.allSettled([share("a"), share("b"), share("c", "a")]);
    expect(results).toMatchObject([
      { value: "a" },
      { reason: { message: "The outcome of b." } },
      { value: "c" },
    ]);
    expect(sets).toEqual([["a", "b"], ["c"]]);
    expect(commitsIn(file) - before).toBe(1);
    expect(await idsIn(driver, "parents")).toEqual(["a", "b", "c"]);
  });

  test("are committed without the one that fails half-way", async () => {
    const { driver } = await openWithTables();
    const failing = driver.write(function* () {
      yield* queryRows("INSERT INTO parents (id) VALUES ('half')", []);
      throw new Error("It fails half-way.");
    });
    const results = await Promise.allSettled([insert(driver, "a"), failing, insert(driver, "b")]);
    expect(results).toMatchObject([
      { value: "a" },
      { reason: { message: "It fails half-way." } },
      { value: "b" },
    ]);
    expect(await idsIn(driver, "parents")).toEqual(["a", "b"]);
  });

  test("see what the ones before them wrote, though nothing is committed yet", async () => {
    const { driver } = await openWithTables();
    const results = await Promise.allSettled([insert(driver, "same"), insert(driver, "same")]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(await idsIn(driver, "parents")).toEqual(["same"]);
  });

  test("resolve only after the commit: one that cannot be committed fails by itself", async () => {
    const { driver } = await openWithTables();
    const results = await Promise.allSettled([
      insert(driver, "a"),
      insertOrphan(driver, "orphan"),
      insert(driver, "b"),
    ]);
    expect(results).toMatchObject([
      { value: "a" },
      { reason: { message: expect.stringContaining("FOREIGN KEY") } },
      { value: "b" },
    ]);
    expect(await idsIn(driver, "parents")).toEqual(["a", "b"]);
    expect(await idsIn(driver, "children")).toEqual([]);
  });

  test("wait for another process's lock also after one of them failed", async () => {
    const file = temporaryFile();
    const other = new DatabaseSync(file);
    onTestFinished(() => other.close());
    let commits = 0;
    const committed = (): void => {
      if ((commits += 1) !== 2) return; // the table, and then the first of the writes by itself
      other.exec("BEGIN IMMEDIATE");
      setTimeout(() => other.exec("COMMIT"), 200);
    };
    const driver = await openSqlite({ file, observer: { committed } });
    onTestFinished(async () => driver.close());
    await driver.write(() => queryRows("CREATE TABLE parents (id TEXT PRIMARY KEY)", []));
    const failing = driver.write(function* () {
      yield* queryRows("SELECT 1", []);
      throw new Error("It fails.");
    });
    const results = await Promise.allSettled([insert(driver, "a"), insert(driver, "b"), failing]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
    expect(await idsIn(driver, "parents")).toEqual(["a", "b"]);
  });

  test("go on after one that could not be committed", async () => {
    const { driver } = await openWithTables();
    await expect(insertOrphan(driver, "orphan")).rejects.toThrow("FOREIGN KEY");
    expect(await insert(driver, "after")).toBe("after");
    expect(await idsIn(driver, "parents")).toEqual(["after"]);
  });
});

describe("reads made at the same time", () => {
  test("all succeed but the one that fails", async () => {
    const { driver } = await openWithTables();
    await insert(driver, "a");
    const results = await Promise.allSettled([
      idsIn(driver, "parents"),
      idsIn(driver, "nowhere"),
      idsIn(driver, "parents"),
    ]);
    expect(results).toMatchObject([
      { value: ["a"] },
      { reason: { message: expect.stringContaining("no such table") } },
      { value: ["a"] },
    ]);
    expect(await insert(driver, "b")).toBe("b");
  });

  test("see every write that was answered before", async () => {
    const { driver, file } = await openWithTables();
    const { driver: other } = await openFile({ file });
    for (const id of ["a", "b", "c"]) {
      await insert(driver, id);
      const [here, there] = await Promise.all([idsIn(driver, "parents"), idsIn(other, "parents")]);
      expect(here).toContain(id);
      expect(there).toEqual(here);
    }
  });
});

test("reads that follow on others share their turn of the event loop, for a while", async () => {
  const { driver } = await openWithTables();
  const turns = countTurns();
  const readInTurn = async () => {
    await idsIn(driver, "parents");
    const first = turns();
    for (let more = 0; more < 3; more++) await idsIn(driver, "parents");
    return turns() - first;
  };
  let others = await readInTurn();
  // On a busy machine the time that reads have in a turn may pass before the last one.
  for (let tries = 1; others > 0 && tries < 100; tries++) others = await readInTurn();
  expect(others).toBe(0);
  const first = turns();
  for (let more = 0; more < 10_000; more++) await idsIn(driver, "parents");
  expect(turns()).toBeGreaterThan(first);
});

describe("closing", () => {
  test("finishes queued writes", async () => {
    const { driver, file } = await openWithTables();
    const writes = ["a", "b", "c"].map(async (id) => insert(driver, id));
    await driver.close();
    expect(await Promise.all(writes)).toEqual(["a", "b", "c"]);
    const again = await openFile({ file });
    expect(await idsIn(again.driver, "parents")).toEqual(["a", "b", "c"]);
  });

  test("answers queued reads", async () => {
    const { driver } = await openWithTables();
    await insert(driver, "a");
    const reads = [1, 2].map(async () => idsIn(driver, "parents"));
    await driver.close();
    expect(await Promise.all(reads)).toEqual([["a"], ["a"]]);
  });

  test("twice is harmless, and later queries fail", async () => {
    const { driver } = await openWithTables();
    await driver.close();
    await expect(driver.close()).resolves.toBeUndefined();
    await expect(insert(driver, "late")).rejects.toThrow("not open");
    const late = [1, 2, 3].map(async () => idsIn(driver, "parents"));
    for (const { status } of await Promise.allSettled(late)) expect(status).toBe("rejected");
  });
});
