import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Store } from "../../src/service/service.ts";
import {
  createMetrics,
  searchGauges,
  settlementGauges,
  webhookGauges,
} from "../../src/service/server/metrics.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const rules = read("packaging/prometheus/payments.rules.yml");
const dashboard = read("packaging/grafana/payments.json");

const unavailable = () => Promise.reject(new Error("There is no database."));

/** The names that the metrics of a service have when everything it can watch is watched. */
async function listMetricNames(): Promise<Set<string>> {
  const metrics = createMetrics({ version: "1.2.3" });
  metrics.network();
  metrics.store.measureStore({} as Store, { pool: () => ({ total: 0, idle: 0, waiting: 0 }) });
  metrics.watch(settlementGauges, unavailable);
  metrics.watch(webhookGauges, unavailable);
  metrics.watch(searchGauges, unavailable);
  const { text } = await metrics.read();
  const names = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = "", type]) =>
    type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
  return new Set(names);
}

function findMetrics(text: string): string[] {
  return [...text.matchAll(/\b(?:payments|process|nodejs)_\w+/g)].map(([name]) => name);
}

test("the alerts and the dashboard ask only for metrics that exist", async () => {
  const exist = await listMetricNames();
  const { panels } = JSON.parse(dashboard) as { panels: { targets?: { expr: string }[] }[] };
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  const asked = findMetrics([rules, ...expressions].join("\n"));
  expect(asked.length).toBeGreaterThan(40);
  expect(asked.filter((name) => !exist.has(name))).toEqual([]);
});

test("the dashboard shows every metric of the service's own", async () => {
  const names = [...(await listMetricNames())].filter((name) => name.startsWith("payments_"));
  const shown = new Set(
    findMetrics(dashboard).map((name) => name.replace(/_(bucket|sum|count)$/, "")),
  );
  const absent = names
    .map((name) => name.replace(/_(bucket|sum|count)$/, ""))
    .filter((name) => !shown.has(name));
  expect(absent).toEqual([]);
});

test("each alert has a test of its own", () => {
  const tested = read("packaging/prometheus/payments.rules.test.yml");
  const alerts = [...rules.matchAll(/alert: (\w+)/g)].map(([, name = ""]) => name);
  expect(alerts).toHaveLength(9);
  const fired = [...tested.matchAll(/alertname: (\w+)\n\s+exp_alerts:/g)].map(([, name]) => name);
  expect(new Set(fired)).toEqual(new Set(alerts));
});
