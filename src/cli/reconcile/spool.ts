import { DatabaseSync } from "node:sqlite";
import { readRows, useDisk } from "./temporary-books.ts";

const cacheKiB = 1024;

/**
 * Lets a source that can be read once be read again from its beginning. What was read is kept where SQLite keeps a
 * database without a name: in a file that nobody else can open, and that is gone when the process ends, whatever ends
 * it. Only its cache is in memory.
 */
export function openSpool(source: AsyncIterator<Buffer>) {
  const db = new DatabaseSync("");
  db.exec(`
    PRAGMA cache_size = -${cacheKiB};
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    CREATE TABLE blocks (number INTEGER PRIMARY KEY, block BLOB NOT NULL);
    BEGIN;
  `);
  const add = db.prepare("INSERT INTO blocks (block) VALUES (?)");
  const blocks = db.prepare("SELECT block FROM blocks ORDER BY number");
  return {
    /** Reads from the beginning. The last time nothing more is kept. */
    async *read({ isLast = false } = {}): AsyncGenerator<Buffer> {
      for (const { block } of readRows<{ block: Uint8Array }>(() => blocks.iterate())) {
        yield Buffer.from(block.buffer, block.byteOffset, block.byteLength);
      }
      for (;;) {
        const { value, done } = await source.next();
        if (done) return;
        if (!isLast) useDisk(() => add.run(value));
        yield value;
      }
    },
    [Symbol.dispose]: (): void => db.close(),
  };
}
export type Spool = ReturnType<typeof openSpool>;
