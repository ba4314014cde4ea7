import { describe, expect, test } from "vitest";
import type { EventList } from "../../../../src/contract/event.ts";
import { createTemporaryHome } from "../../../testkit/temporary.ts";
import {
  createServiceEnv,
  parsePrinted,
  runPayments,
} from "../../../testkit/command/run-payments.ts";
import { eventFields } from "../../../../src/contract/responses.ts";
import { json, scriptedServer } from "../../../testkit/client/scripted-server.ts";
import { eventWith, listWith } from "../../../testkit/api-objects.ts";

describe.concurrent("payments events", () => {
  test("shows the events of the embedded service", async () => {
    const home = createTemporaryHome();
    const create = ["create", "--amount", "1", "--currency", "eur", "--test-card", "visa"];
    const payment = parsePrinted(await runPayments([...create, "--json"], { home }));
    const ran = await runPayments(["events", "list", "--json"], { home });
    const [event] = (parsePrinted(ran) as EventList).data;
    expect(event).toMatchObject({ type: "payment.succeeded", data: { object: payment } });
    const one = await runPayments(["events", "get", event?.id ?? "", "--json"], { home });
    expect(parsePrinted(one)).toEqual(event);
  });
});

const url = "/v1/events";
const events = ["evt_3", "evt_2", "evt_1"].map((id) => eventWith({ id }));
const [third, second, first] = events;

/** A service with three events on two pages. */
async function serveTwoPages() {
  const newest = { ...listWith(url, third ?? {}, second ?? {}), has_more: true };
  return await scriptedServer(json(200, newest), json(200, listWith(url, first ?? {})));
}

async function listPages(...args: string[]) {
  const server = await serveTwoPages();
  const env = createServiceEnv(server.url);
  const ran = await runPayments(["events", "list", ...args], { env });
  return { ran, requests: server.requests.map(({ path }) => path) };
}

describe.concurrent("payments events list", () => {
  test("prints one List with --all, and requests pages of a hundred", async () => {
    const { ran, requests } = await listPages("--all", "--json");
    const whole = listWith(url, ...events);
    expect(ran).toEqual({ stdout: `${JSON.stringify(whole)}\n`, stderr: "", exitCode: 0 });
    expect(requests).toEqual(["/v1/events?limit=100", "/v1/events?limit=100&starting_after=evt_2"]);
  });

  test("prints an event a line, as JSON and as CSV with a column for every field", async () => {
    const lines = await listPages("--all", "-o", "ndjson");
    expect(lines.ran.stdout).toBe(events.map((event) => `${JSON.stringify(event)}\n`).join(""));
    const { stdout } = (await listPages("--all", "-o", "csv")).ran;
    const [head, row] = stdout.split("\n");
    expect(head).toBe(eventFields.join(","));
    expect(row).toMatch(
      /^evt_3,event,payment\.succeeded,1794744000,false,1,pay_\S+,payment,4999,eur,succeeded,,visa,4242,/,
    );
    expect(stdout.trimEnd().split("\n")).toHaveLength(4);
  });

  test("sends the given filters and no other", async () => {
    const server = await scriptedServer(json(200, listWith(url)));
    const filters = "--type payment.failed --payment pay_1 --created-gte 1767225600";
    const range = "--created-lt 2026-01-02 --starting-after evt_9 --limit 3";
    const env = { ...createServiceEnv(server.url), TZ: "UTC" };
    await runPayments(["events", "list", ...`${filters} ${range}`.split(" ")], { env });
    const query = new URL(server.url + server.requests[0]?.path).searchParams;
    expect(Object.fromEntries(query)).toEqual({
      limit: "3",
      type: "payment.failed",
      payment: "pay_1",
      starting_after: "evt_9",
      "created[gte]": "1767225600",
      "created[lt]": "1767312000",
    });
  });
});
