import { randomUUID } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import autocannon, { type Request } from "autocannon";
import { findPlaces, readParts } from "../test/mutations/place.ts";
import { type Allocation, sampleAllocation } from "./allocation.ts";
import { type Stage, stages } from "./cost-stages.ts";
import { type Figure, median } from "./figure.ts";
import { readOwnProcessorMs, readProcessorMs } from "./rate.ts";
import { readBehindSeconds } from "./search-progress.ts";
import { type Running, startBare, startPayments, stop } from "./service-process.ts";
import { body } from "./throughput.ts";

const root = join(import.meta.dirname, "..");
const connections = 32;
const warmUp = 5_000;
const amount = 5_000;
const rounds = 5;

const kinds = ["create", "keyed create", "retrieve", "list of 10"] as const;
type Kind = (typeof kinds)[number];
type Cost = Record<"us" | "bytes", number>;
type Costs = Record<Kind, Cost>;
type Measured = Running & { key: string; allocation: Allocation };

/** The most processor time that the service may take, in that of a Fastify app that answers the same bytes. */
const floors: Record<Kind, string> = {
  create: "≤ 3.5",
  "keyed create": "",
  retrieve: "≤ 1.5",
  "list of 10": "≤ 1.6",
};

/**
 * What each stage of a request costs: processor time, and allocated bytes, of the process that answers it. A service
 * without the stage is measured in turn with a whole one; both run from a copy of the source. The process that writes
 * the index is measured by itself, until nothing is left to do. PAYMENTS_STAGES="key,log line" measures these alone.
 */
export async function measureCost(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "payments-bench-"));
  const whole = await startFrom(folder, { name: "whole", changes: [] });
  const answers = await fetchAnswers(whole);
  const bareAllocation = sampleAllocation(join(folder, "bare"));
  const bare = await startBare("bare-fastify.ts", answers, bareAllocation.flags);
  const ofBare = { ...bare, key: "none", allocation: bareAllocation };
  const ofWhole = await warmUpService(whole);
  const [own, theirs] = await measureInTurn(ofWhole, await warmUpService(ofBare));
  const indexUs = await ofWhole.measureIndexUs();
  const ofIndex = (kind: Kind) => ({ us: kind.includes("create") ? indexUs : 0, bytes: 0 });
  const rows: Record<string, Costs> = {
    "all of it": mapKinds((kind) => ({ ...own[kind], us: own[kind].us + ofIndex(kind).us })),
    "bare Fastify": theirs,
    "process of the index": mapKinds(ofIndex),
  };
  await Promise.all([whole, bare].map(stop));
  const wanted = process.env["PAYMENTS_STAGES"]?.split(",");
  for (const stage of stages.filter(({ name }) => wanted?.includes(name) ?? true)) {
    // Both are new: a service that has stored more takes longer.
    const beside = await startFrom(folder, { name: `whole beside ${stage.name}`, changes: [] });
    const without = await startFrom(folder, stage);
    const [all, rest] = await measureInTurn(
      await warmUpService(beside),
      await warmUpService(without),
    );
    rows[stage.name] = mapKinds((kind) => ({
      us: all[kind].us - rest[kind].us,
      bytes: all[kind].bytes - rest[kind].bytes,
    }));
    await Promise.all([beside, without].map(stop));
  }
  rmSync(folder, { recursive: true });
  const texts = Object.entries(rows).map(([name, costs]) => [
    name,
    mapKinds((kind) => formatCost(costs[kind])),
  ]);
  console.table(Object.fromEntries(texts));
  return kinds.map((kind) => {
    const us = rows["all of it"]?.[kind].us ?? Number.NaN;
    return {
      what: `processor time: ${kind}, ${connections} connections, on SQLite`,
      ours: `${us.toFixed(0)} µs`,
      compared: `bare Fastify ${theirs[kind].us.toFixed(0)} µs`,
      ratio: us / theirs[kind].us,
      floor: floors[kind],
    };
  });
}

/** A service over a database of its own, from a copy of the source that lacks a stage. */
async function startFrom(folder: string, { name, changes }: Stage): Promise<Measured> {
  const copy = join(folder, name.replaceAll(" ", "-"));
  for (const part of ["src", "bin", "package.json", "oclif.manifest.json"])
    cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  for (const change of changes) {
    const [place, ...others] = findPlaces(change, readParts(join(copy, "src")));
    if (!place || others.length > 0)
      throw new Error(`The stage "${name}" has not one place in ${change.in}.`);
    const file = join(copy, "src", place.file);
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.slice(0, place.start) + change.to + text.slice(place.end));
  }
  const allocation = sampleAllocation(join(copy, "allocated.json"));
  const program = join(copy, "bin/dev.js");
  const database = `sqlite:${join(copy, "payments.db")}`;
  const running = await startPayments(database, [], allocation.flags, undefined, program);
  return { ...running, allocation };
}

/** The medians of rounds in which both do the same in turn, the one or the other first. */
async function measureInTurn(...both: Service[]): Promise<[Costs, Costs]> {
  const times = both.map(() => mapKinds((): number[] => []));
  for (let round = 0; round < rounds; round++)
    for (const kind of kinds)
      for (const at of round % 2 === 0 ? [0, 1] : [1, 0])
        times[at]?.[kind].push((await both[at]?.measureUs(kind)) ?? Number.NaN);
  const costs: Costs[] = [];
  for (const [at, { measureBytes }] of both.entries()) {
    const cost = {} as Costs;
    for (const kind of kinds)
      cost[kind] = { us: median(times[at]?.[kind] ?? []), bytes: await measureBytes(kind) };
    costs.push(cost);
  }
  return costs as [Costs, Costs];
}

type Service = Awaited<ReturnType<typeof warmUpService>>;

async function warmUpService(service: Measured) {
  const { allocation, child, url } = service;
  const requests = await listRequests(service);
  const send = async (kind: Kind, count: number) => {
    const load = { url, connections, amount: count, requests: [requests[kind]], sampleInt: 100 };
    const { "2xx": done, errors, statusCodeStats } = await autocannon(load);
    if (done !== count)
      throw new Error(
        `${done} of ${count} requests (${kind}) succeeded; ${errors} had no answer: ${JSON.stringify(statusCodeStats)}`,
      );
  };
  for (const kind of kinds) await send(kind, warmUp);
  return {
    measureUs: async (kind: Kind) => {
      const beforeMs = readOwnProcessorMs(child);
      await send(kind, amount);
      return ((readOwnProcessorMs(child) - beforeMs) / amount) * 1000;
    },
    /** The processor time of the processes that it started, for each payment that it is sent. */
    measureIndexUs: async () => {
      await waitUntilIndexed(url);
      const beforeMs = readProcessorMs(child) - readOwnProcessorMs(child);
      for (let round = 0; round < rounds; round++) await send("create", amount);
      await waitUntilIndexed(url);
      const afterMs = readProcessorMs(child) - readOwnProcessorMs(child);
      return ((afterMs - beforeMs) / (rounds * amount)) * 1000;
    },
    measureBytes: async (kind: Kind) => {
      await allocation.toggle(child);
      await send(kind, amount);
      const bytesOf = await allocation.toggle(child);
      return Object.values(bytesOf).reduce((sum, bytes) => sum + bytes, 0) / amount;
    },
  };
}

async function waitUntilIndexed(url: string): Promise<void> {
  while ((await readBehindSeconds(url)) !== 0) await delay(100);
}

async function listRequests({ url, key }: Running & { key: string }) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const create: Request = { method: "POST", path: "/v1/payments", body, headers };
  const made = await fetch(`${url}/v1/payments`, create as RequestInit);
  const { id } = (await made.json()) as { id: string };
  return {
    create,
    "keyed create": {
      ...create,
      setupRequest: (each: Request) => ({
        ...each,
        headers: { ...headers, "idempotency-key": randomUUID() },
      }),
    },
    retrieve: { method: "GET", path: `/v1/payments/${id}`, headers },
    "list of 10": { method: "GET", path: "/v1/payments?limit=10", headers },
  } satisfies Record<Kind, Request>;
}

/** What the bare app answers. */
async function fetchAnswers(service: Running & { key: string }) {
  const requests = await listRequests(service);
  for (let made = 0; made < 10; made++) await fetchText(service, requests.create);
  return {
    create: await fetchText(service, requests.create),
    retrieve: await fetchText(service, requests.retrieve),
    list: await fetchText(service, requests["list of 10"]),
  };
}

async function fetchText({ url }: Running, { path = "", ...init }: Request): Promise<string> {
  return await (await fetch(`${url}${path}`, init as RequestInit)).text();
}

function mapKinds<T>(map: (kind: Kind) => T): Record<Kind, T> {
  return Object.fromEntries(kinds.map((kind) => [kind, map(kind)])) as Record<Kind, T>;
}

function formatCost({ us, bytes }: Cost): string {
  return `${us.toFixed(1)} µs, ${(bytes / 1000).toFixed(1)} KB`;
}
