import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import autocannon from "autocannon";
import { type Figure, createBody as body } from "./figure.ts";
import { command, startPayments, stop } from "./service-process.ts";

const warmUp = 10_000;
const creates = 20_000;
const connections = 32;
const maxPages = 20;
/** Another build is measured the same way. */
const program = process.env["PAYMENTS_PROGRAM"] ?? command;

/** The pages that a commit of a service on SQLite writes under creates, and of which table or index they are. */
export async function measurePagesWritten(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "payments-bench-"));
  const file = join(folder, "payments.db");
  const service = await startPayments(`sqlite:${file}`, [], [], undefined, program);
  const headers = { authorization: `Bearer ${service.key}`, "content-type": "application/json" };
  const create = { method: "POST", path: "/v1/payments", headers, body } as const;
  const send = async (amount: number) => {
    const sent = { url: service.url, connections, amount, requests: [create] };
    if ((await autocannon(sent))["2xx"] !== amount) throw new Error("Some requests failed.");
  };
  await send(warmUp);
  const db = new DatabaseSync(file);
  db.exec("BEGIN");
  db.prepare("SELECT COUNT(*) FROM accounts").get(); // from now on SQLite begins no new log of what is written
  const before = readFrames(file).length;
  await send(creates);
  const frames = readFrames(file).slice(before);
  db.exec("ROLLBACK");
  const names = new Map(
    db
      .prepare("SELECT pageno, name FROM dbstat")
      .all()
      .map(({ pageno, name }) => [Number(pageno), String(name)]),
  );
  db.close();
  await stop(service);
  rmSync(folder, { recursive: true });
  const commits = frames.filter(({ isLast }) => isLast).length;
  const byName = Map.groupBy(frames, ({ page }) => names.get(page) ?? "no table");
  const sorted = [...byName].toSorted(([, one], [, other]) => other.length - one.length);
  for (const [name, { length }] of sorted)
    console.log(`${(length / commits).toFixed(2).padStart(6)} pages  ${name}`);
  const pages = frames.length / commits;
  return [
    {
      what: `pages a commit of ${(creates / commits).toFixed(1)} creates, ${connections} connections`,
      ours: pages.toFixed(1),
      compared: String(maxPages),
      ratio: pages / maxPages,
      floor: "≤ 1",
    },
  ];
}

/** A page in the log of what is written; `isLast`: it ends a commit. */
type Frame = { page: number; isLast: boolean };

/** Reads the valid frames of a database's log (https://sqlite.org/fileformat2.html#walformat). */
function readFrames(file: string): Frame[] {
  const log = readFileSync(`${file}-wal`);
  const frames: Frame[] = [];
  const size = 24 + log.readUInt32BE(8);
  const salt = log.subarray(16, 24);
  for (let at = 32; at + size <= log.length; at += size) {
    if (!log.subarray(at + 8, at + 16).equals(salt)) break;
    frames.push({ page: log.readUInt32BE(at), isLast: log.readUInt32BE(at + 4) > 0 });
  }
  return frames;
}
