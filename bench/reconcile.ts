import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { Payment } from "../src/service/payments/payment-state.ts";
import type { Figure } from "./figure.ts";
import { loadPayments } from "./load-payments.ts";
import { reportPeakMemory } from "./memory.ts";
import { createSearchedPayments } from "./searched-payments.ts";
import { command, startPayments, stop } from "./service-process.ts";

const count = 1_000_000;
const mostMiB = 150;
const columns =
  "balance_transaction_id,created_utc,currency,gross,reporting_category,description,payment_metadata[payment_id]";

/** The difference that is planted at a payment that succeeded, and the list that has to have it. */
const plants: [list: string, reason: string, lines: (payment: Payment) => string[]][] = [
  ["only_here", "no_charge_there", () => []],
  ["another_amount", "other_amount", (payment) => [line(payment, "charge", payment.amount + 1)]],
  [
    "another_amount",
    "other_currency",
    (payment) => [line({ ...payment, currency: "chf" }, "charge")],
  ],
  [
    "another_amount",
    "several_charges",
    (payment) => [line(payment, "charge"), line(payment, "charge")],
  ],
  [
    "another_amount",
    "other_refund_amount",
    (payment) => [line(payment, "charge"), line(payment, "refund", 1)],
  ],
  [
    "another_state",
    "refunded_there",
    (payment) => [line(payment, "charge"), line(payment, "refund")],
  ],
  [
    "another_state",
    "disputed_there",
    (payment) => [line(payment, "charge"), line(payment, "dispute")],
  ],
  [
    "only_there",
    "unknown_payment",
    (payment) => [
      line(payment, "charge"),
      line({ ...payment, id: `${payment.id.slice(0, -4)}ffff` }, "charge"),
    ],
  ],
];
const timesEach = 5;

/** The peak memory of a comparison of a million payments with a file of a million lines in random order. */
export async function measureReconcile(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "payments-bench-"));
  const database = `sqlite:${join(folder, "payments.db")}`;
  const payments = createLivePayments();
  await loadPayments(database, payments);
  const report = join(folder, "report.csv");
  const { planted, lines } = await writeReport(report, payments);
  const service = await startPayments(database, ["--log-level", "error"]);
  const key = createLiveKey(database);
  const env = {
    ...process.env,
    PAYMENTS_HOME: folder,
    PAYMENTS_BASE_URL: service.url,
    PAYMENTS_API_KEY: key,
  };
  const startMs = performance.now();
  const { peakMiB, found } = await run(["reconcile", "--report", report, "-o", "ndjson"], env);
  const seconds = (performance.now() - startMs) / 1_000;
  await stop(service);
  rmSync(folder, { recursive: true });
  const wrong = [
    ...[...planted].filter((difference) => !found.has(difference)),
    ...[...found].filter((difference) => !planted.has(difference)),
  ];
  if (wrong.length > 0) throw new Error(`Not as planted: ${wrong.slice(0, 10).join(", ")}`);
  return [
    {
      what: `reconcile, ${count} payments with ${lines} lines, ${planted.size} differences, ${seconds.toFixed(0)} s`,
      ours: `${peakMiB.toFixed(0)} MiB`,
      compared: `${mostMiB} MiB`,
      ratio: peakMiB / mostMiB,
      floor: "≤ 1",
    },
  ];
}

/** The payments of a live shop, one in twenty refunded. */
function createLivePayments() {
  const payments = createSearchedPayments(count, Date.now());
  return {
    ...payments,
    create: (index: number): Payment => {
      const payment = { ...payments.create(index), livemode: true };
      return payment.status === "succeeded" && index % 20 === 0
        ? { ...payment, status: "refunded", refunded_at: payment.created + 60 }
        : payment;
    },
  };
}

type Payments = ReturnType<typeof createLivePayments>;

/**
 * Writes what a bank has, in no order, with each difference a few times; the ids in its answer are of the payments
 * here.
 */
async function writeReport(file: string, { create }: Payments) {
  const stream = createWriteStream(file);
  stream.write(`${columns}\n`);
  const planted = new Set<string>();
  const left = plants.flatMap((plant) => Array.from({ length: timesEach }, () => plant));
  const apart = Math.floor(count / left.length);
  let [lines, due] = [0, 0];
  // A step that has no divisor in common with the count visits every payment once.
  for (let step = 0, index = 0; step < count; step++, index = (index + 617_033) % count) {
    const payment = create(index);
    let rows = toLines(payment);
    if (step >= due && payment.status === "succeeded" && left.length > 0) {
      const [list, reason, plant] = left.pop() as (typeof plants)[number];
      rows = plant(payment);
      const id = list === "only_there" ? `${payment.id.slice(0, -4)}ffff` : payment.id;
      planted.add(`${list} ${reason} ${id}`);
      due += apart;
    }
    if (step % 20 === 0) rows.push(line(payment, "fee", 30).replace(payment.id, ""));
    lines += rows.length;
    if (rows.length > 0 && !stream.write(`${rows.join("\n")}\n`)) await once(stream, "drain");
  }
  stream.end();
  await once(stream, "close");
  return { planted, lines };
}

function toLines(payment: Payment): string[] {
  if (payment.status === "succeeded") return [line(payment, "charge")];
  return payment.status === "refunded" ? [line(payment, "charge"), line(payment, "refund")] : [];
}

function line(payment: Payment, type: string, amount = payment.amount): string {
  const sign = type === "charge" ? "" : "-";
  const gross = `${sign}${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, "0")}`;
  return `txn_${payment.id.slice(-12)},2026-11-01 00:00:00,${payment.currency},${gross},${type},"Order, by card",${payment.id}`;
}

function createLiveKey(database: string): string {
  const argv = [command, "keys", "create", "--mode", "live", "--name", "bench"];
  const created = execFileSync(process.execPath, [...argv, "--database", database, "--json"], {
    encoding: "utf8",
  });
  return (JSON.parse(created) as { key: string }).key;
}

async function run(argv: string[], env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, ["--import", reportPeakMemory, command, ...argv], {
    env,
    stdio: ["ignore", "pipe", "inherit", "pipe"],
  });
  const [, output, , report] = child.stdio as [null, Readable, null, Readable, undefined];
  const [printed, peak] = await Promise.all([text(output), text(report)]);
  type Found = { list: string; reason: string; payment: string };
  const found = printed
    .split("\n")
    .filter((each) => each !== "")
    .map((each) => JSON.parse(each) as Found)
    .map(({ list, reason, payment }) => `${list} ${reason} ${payment}`);
  return { peakMiB: Number(peak) / 1_024, found: new Set(found) };
}
