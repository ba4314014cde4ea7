import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { openDriver, openExisting } from "../../../src/service/database/database.ts";
import { queryRows } from "../../../src/service/database/driver.ts";
import { temporaryFile } from "../../testkit/temporary.ts";

/** Creates a closed database with a table of numbers. */
async function createFile() {
  const file = temporaryFile();
  const database = `sqlite:${file}`;
  const driver = await openDriver(database);
  await driver.write(() => queryRows("CREATE TABLE numbers (n BIGINT)", []));
  await driver.write(() => queryRows("INSERT INTO numbers VALUES (1)", []));
  await driver.close();
  const before = readdirSync(dirname(file)).toSorted();
  const opened = await openExisting(database);
  onTestFinished(async () => opened.close());
  return { file, opened, filesNow: () => readdirSync(dirname(file)).toSorted(), before };
}

const numbers = () => queryRows<{ n: number }>("SELECT n FROM numbers ORDER BY n", []);

test("an existing database is read without a trace, with what others write meanwhile", async () => {
  const { file, opened, filesNow, before } = await createFile();
  expect(await opened.read(numbers)).toEqual([{ n: 1 }]);
  expect(filesNow()).toEqual(before);
  const other = await openDriver(`sqlite:${file}`);
  onTestFinished(async () => other.close());
  await other.write(() => queryRows("INSERT INTO numbers VALUES (2)", []));
  expect(await opened.read(numbers)).toEqual([{ n: 1 }, { n: 2 }]);
});

test("a read during which others write is repeated, so that it reads one state", async () => {
  const { file, opened } = await createFile();
  let reads = 0;
  const seen = await opened.read(function* () {
    const first = yield* numbers();
    if (reads++ === 0) {
      const other = new DatabaseSync(file);
      other.exec("INSERT INTO numbers VALUES (2); PRAGMA wal_checkpoint(TRUNCATE)");
      other.close();
    }
    return [first.length, (yield* numbers()).length];
  });
  expect({ seen, reads }).toEqual({ seen: [2, 2], reads: 2 });
});

test("a read database can be written, and leaves no file beside it", async () => {
  const { opened, filesNow, before } = await createFile();
  await opened.write(() => queryRows("INSERT INTO numbers VALUES (3)", []));
  expect(await opened.read(numbers)).toEqual([{ n: 1 }, { n: 3 }]);
  await opened.close();
  expect(filesNow()).toEqual(before);
});
