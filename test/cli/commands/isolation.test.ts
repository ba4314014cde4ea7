import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { modes, type IssuedKey, type Mode } from "../../../src/contract/key.ts";
import type { EventList } from "../../../src/contract/event.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import { serve } from "../../../src/service/server/server.ts";
import { newDatabase } from "../../testkit/database/new-database.ts";
import { newHome } from "../../testkit/command/temporary-home.ts";
import { commands } from "../../testkit/command/built-commands.ts";
import { listenPayments, type ListeningCommand } from "../../testkit/command/listen-payments.ts";
import {
  against,
  errorIn,
  printed,
  printedPayment,
  runPayments,
  type Ran,
} from "../../testkit/command/run-payments.ts";

/** An account in one of its modes: what it has, and how it runs a command. */
type Owner = {
  account: string;
  mode: Mode;
  key: IssuedKey;
  paid: Payment;
  /** What told of it, and who is told: an endpoint. */
  event: string;
  endpoint: string;
  run: (...args: string[]) => Promise<Ran>;
  listen: (...args: string[]) => ListeningCommand;
};

const names = ["Books", "Flowers"].flatMap((shop) =>
  modes.map((mode) => `${shop} in ${mode} mode`),
);
/** One asks the other mode, and the other account; every pair is tried at service/http. */
const pairs = [
  [names[0]!, names[1]!],
  [names[0]!, names[2]!],
] as const;
const creation = ["create", "--amount", "4999", "--currency", "eur", "--test-card", "visa"];
const shared = ["--idempotency-key", "order-1"];

let server: Awaited<ReturnType<typeof serve>>;
const owners = new Map<string, Owner>();
beforeAll(async () => {
  const database = await newDatabase(`${newHome()}/payments.db`);
  server = await serve({ database, host: "127.0.0.1", port: 0 });
  for (const shop of ["Books", "Flowers"]) {
    const { id: account } = await server.service.createAccount({ name: shop });
    for (const mode of modes) owners.set(names[owners.size]!, await own(account, mode, database));
  }
});
afterAll(async () => server.close());

async function own(account: string, mode: Mode, database: string): Promise<Owner> {
  const key = await server.service.createKey({ account, mode, name: "shop" });
  const env = { ...against(server.url, key.key), PAYMENTS_DATABASE: database };
  const run = async (...args: string[]) => runPayments([...args, "--json"], { env });
  const made = printed(await run("webhooks", "create", "--url", "https://shop.example/hooks"));
  const listen = (...args: string[]) => listenPayments([...args, "--json"], { env });
  const paid = printedPayment(await run(...creation, ...shared));
  const [event] = (printed(await run("events", "list")) as EventList).data;
  return { account, mode, key, paid, event: event!.id, endpoint: String(made["id"]), run, listen };
}

function refusalIn(ran: Ran): object {
  const { request_id: _, idempotency_key: __, ...error } = errorIn(ran);
  return { stdout: ran.stdout, exitCode: ran.exitCode, error };
}

const nobodys = "pay_0199c5a8-7f3e-7abc-9def-0123456789ab";
const nobodysEvent = nobodys.replace("pay_", "evt_");
const nobodysEndpoint = nobodys.replace("pay_", "we_");

/** A command is told the same of what an owner has as of what there is not. */
async function isSame({ run }: Owner, theirs: string, unknownId: string, ...args: string[]) {
  const naming = (id: string) => args.map((word) => (word === "ID" ? id : word));
  const unknown = refusalIn(await run(...naming(unknownId)));
  expect(unknown).toMatchObject({ stdout: "" });
  expect(refusalIn(await run(...naming(theirs)))).toEqual(unknown);
}
const isMissing = async (asker: Owner, { paid }: Owner, ...args: string[]) =>
  isSame(asker, paid.id, nobodys, ...args);
const isNoEvent = async (asker: Owner, { event }: Owner, ...args: string[]) =>
  isSame(asker, event, nobodysEvent, "events", ...args);
const isNoEndpoint = async (asker: Owner, { endpoint }: Owner, ...args: string[]) =>
  isSame(asker, endpoint, nobodysEndpoint, "webhooks", ...args);

/** Names the asker's account: a key of another one is not found. */
async function isNoKey({ run, account }: Owner, { key }: Owner, verb: string): Promise<void> {
  if (key.account === account) return; // an operator has the keys of both modes
  const refused = await run("keys", verb, key.id, "--account", account);
  expect(refused).toMatchObject({ stdout: "", exitCode: 5 });
}

/** What each command shows an asker of an owner's, or does to it: nothing. */
const asking: Record<string, (asker: Owner, owner: Owner) => Promise<void>> = {
  create: async (asker, owner) => {
    const again = printedPayment(await asker.run(...creation, ...shared));
    expect(again.id).toBe(asker.paid.id);
    expect(again.id).not.toBe(owner.paid.id);
  },
  get: async (asker, owner) => isMissing(asker, owner, "get", "ID"),
  list: async ({ run, paid }, owner) => {
    const listed = await run("list", "--all");
    expect(listed.stdout).toContain(paid.id);
    expect(listed.stdout).not.toContain(owner.paid.id);
    const cursor = await run("list", "--starting-after", owner.paid.id);
    expect(refusalIn(cursor)).toEqual(refusalIn(await run("list", "--starting-after", nobodys)));
  },
  refund: async (asker, owner) => isMissing(asker, owner, "refund", "ID", "--yes"),
  "events get": async (asker, owner) => isNoEvent(asker, owner, "get", "ID"),
  "events list": async (asker, owner) => {
    const listed = await asker.run("events", "list", "--all");
    expect(listed.stdout).toContain(asker.event);
    expect(listed.stdout).not.toContain(owner.event);
    const ofPayment = printed(await asker.run("events", "list", "--payment", owner.paid.id));
    expect(ofPayment["data"]).toEqual([]);
    await isNoEvent(asker, owner, "list", "--starting-after", "ID");
  },
  "events resend": async (asker, owner) => {
    await isNoEvent(asker, owner, "resend", "ID");
    const args = ["events", "resend", asker.event, "--endpoint", "ID"];
    await isSame(asker, owner.endpoint, nobodysEndpoint, ...args);
  },
  "webhooks create": async ({ run }, owner) => {
    const args = ["create", "--url", "https://shop.example/hooks", "--idempotency-key", "hooks-1"];
    const { id } = printed(await run("webhooks", ...args));
    expect((await owner.run("webhooks", "get", String(id))).exitCode).toBe(5);
  },
  "webhooks delete": async (asker, owner) => isNoEndpoint(asker, owner, "delete", "ID", "--yes"),
  "webhooks deliveries": async (asker, owner) => isNoEndpoint(asker, owner, "deliveries", "ID"),
  "webhooks disable": async (asker, owner) => isNoEndpoint(asker, owner, "disable", "ID"),
  "webhooks enable": async (asker, owner) => isNoEndpoint(asker, owner, "enable", "ID"),
  "webhooks get": async (asker, owner) => isNoEndpoint(asker, owner, "get", "ID"),
  "webhooks list": async ({ run, endpoint }, owner) => {
    const { stdout } = await run("webhooks", "list");
    expect(stdout).toContain(endpoint);
    expect(stdout).not.toContain(owner.endpoint);
  },
  "webhooks roll": async (asker, owner) => isNoEndpoint(asker, owner, "roll", "ID"),
  "webhooks update": async (asker, owner) =>
    isNoEndpoint(asker, owner, "update", "ID", "--description", "Ours"),
  listen: async ({ listen, paid }, owner) => {
    const command = listen("--since", "1h");
    await command.shows(new RegExp(paid.id));
    expect((await command.end("SIGINT")).stdout).not.toContain(owner.paid.id);
  },
  trigger: async ({ run, mode }, owner) => {
    const ran = await run("trigger", "payment.succeeded");
    if (mode === "live") expect(ran.exitCode).toBe(2);
    else expect(await owner.run("get", printedPayment(ran).id)).toMatchObject({ exitCode: 5 });
  },
  whoami: async ({ run, account, mode }) => {
    expect(printed(await run("whoami"))).toMatchObject({ mode, account: { id: account } });
  },
  "keys create": async ({ run, account, mode }, owner) => {
    const args = ["create", "--mode", mode, "--name", "another"];
    const made = printed(await run("keys", ...args, "--account", account));
    expect(made).toMatchObject({ account });
    const listed = printed(await run("keys", "list", "--account", owner.account));
    const ids = (listed["data"] as { id: string }[]).map(({ id }) => id);
    expect(ids.includes(String(made["id"]))).toBe(owner.account === account);
  },
  "keys list": async ({ run, account, key }, owner) => {
    const { stdout } = await run("keys", "list", "--account", account);
    expect(stdout).toContain(key.id);
    expect(stdout.includes(owner.key.id)).toBe(owner.account === account);
  },
  "operators invite": async ({ run, account }, owner) => {
    const args = ["invite", "--name", "Ada", "--role", "admin", "--account", account];
    const { id, accounts } = printed(await run("operators", ...args));
    expect(accounts).toEqual([account]);
    const listed = printed(await run("operators", "list", "--account", owner.account));
    const ids = (listed["data"] as { id: string }[]).map((operator) => operator.id);
    expect(ids.includes(String(id))).toBe(owner.account === account);
  },
  "operators list": async ({ run, account }, owner) => {
    const args = ["invite", "--name", "Eve", "--role", "viewer", "--account", owner.account];
    const { id } = printed(await run("operators", ...args));
    const { stdout } = await run("operators", "list", "--account", account);
    expect(stdout.includes(String(id))).toBe(owner.account === account);
  },
  "keys roll": async (asker, owner) => isNoKey(asker, owner, "roll"),
  "keys revoke": async (asker, owner) => isNoKey(asker, owner, "revoke"),
};

test("no command that acts for an account is left out", () => {
  const forOne = commands.filter(
    ({ words, flags }) =>
      words.join(" ") !== "login" && // it asks for a list, and shows nothing
      flags.some(({ name }) => name === "base-url" || name === "account"),
  );
  expect(Object.keys(asking).toSorted()).toEqual(
    forOne.map(({ words }) => words.join(" ")).toSorted(),
  );
});

describe.each(pairs)("what %s asks is nothing of what belongs to %s", (askerName, ownerName) => {
  test.each(Object.entries(asking))("payments %s", async (_, ask) => {
    const [asker, owner] = [owners.get(askerName)!, owners.get(ownerName)!];
    await ask(asker, owner);
    expect(printedPayment(await owner.run("get", owner.paid.id))).toEqual(owner.paid);
    const endpoint = printed(await owner.run("webhooks", "get", owner.endpoint));
    expect(endpoint).toMatchObject({ status: "enabled", description: null });
  });
});
