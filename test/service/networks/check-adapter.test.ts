import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { Unavailable } from "../../../src/runtime/failures.ts";
import { drop, json, scriptedServer, silence, text } from "../../testkit/client/scripted-server.ts";
import { freePort } from "../../testkit/sockets/tcp-proxy.ts";
import {
  findBroken,
  replacePart,
  runChecks,
  runChecksUpTo,
  startExampleAdapter,
} from "../../testkit/documented-examples.ts";

/** The example with a path that returns its records. */
const withRecords = replacePart(
  "async function answer(request) {",
  `async function answer(request) {
    if (request.url === "/records") return [200, { charges: [...charges], refunds: [...refunds] }];`,
);

/** The ids of charges that an adapter has not refunded, or refunded twice. */
async function listUnbalanced(url: string): Promise<string[]> {
  type Entries = [id: string, { outcome: string }][];
  const records = await (await fetch(`${url}/records`)).json();
  const { charges, refunds } = records as Record<"charges" | "refunds", Entries>;
  expect(charges.length).toBeGreaterThan(0);
  const refunded = new Set(refunds.map(([id]) => id));
  const unbalanced = charges.filter(([id, { outcome }]) =>
    refunded.has(id) ? outcome !== "approved" : outcome === "approved",
  );
  return unbalanced.map(([id]) => id);
}

/** The same adapter, which answers everything at first as processing. */
const slowAdapter: ((code: string) => string)[] = [
  withRecords,
  replacePart(
    "const charges =",
    `const decided = new Set();
    function later(seconds, what, value) {
      if (decided.has(what)) return value;
      decided.add(what);
      return { outcome: "processing", reference: "r", ask_again_in: seconds };
    }
    const charges =`,
  ),
  replacePart(
    "[200, charge(await json(request))]",
    "[200, later(1, {}, charge(await json(request)))]",
  ),
  replacePart("[200, cancel(id)]", "[200, later(2, `cancel ${id}`, cancel(id))]"),
  replacePart("[200, refund(id)]", "[200, later(3, `refund ${id}`, refund(id))]"),
];

describe("the adapter of the documentation", () => {
  test("keeps every promise, and no money", async () => {
    const url = await startExampleAdapter(withRecords);
    const tried: string[] = [];
    const checks = await runChecks(url, { onCheck: (name) => tried.push(name) });
    expect(findBroken(checks)).toEqual([]);
    expect(checks.map(({ name }) => name)).toEqual(tried);
    expect(checks.length).toBeGreaterThan(10);
    expect(await listUnbalanced(url)).toEqual([]);
  });

  test("keeps every promise also where it answers everything at first as processing", async () => {
    const waits: number[] = [];
    const url = await startExampleAdapter((code) =>
      slowAdapter.reduce((made, step) => step(made), code),
    );
    const wait = async (waitMs: number) => waits.push(waitMs);
    const checks = await runChecks(url, { wait, challengeCardNumber: "4000002760003184" });
    expect(findBroken(checks)).toEqual([]);
    expect(new Set(waits)).toEqual(new Set([1_000, 2_000, 3_000]));
    expect(await listUnbalanced(url)).toEqual([]);
  });

  test("need not list transactions", async () => {
    const url = await startExampleAdapter(
      replacePart('if (pathname === "/transactions") return [200, list(searchParams)];', ""),
    );
    const checks = await runChecks(url);
    expect(findBroken(checks)).toEqual([]);
    const details = checks.map(({ detail }) => detail).filter((detail) => detail !== "");
    expect(details).toEqual(["not offered"]);
  });

  test("cancels every charge where the check is interrupted", async () => {
    const url = await startExampleAdapter(withRecords);
    const interruption = new AbortController();
    let made = 0;
    const newId = () => {
      if (++made === 5) interruption.abort();
      return `pay_${randomUUID()}`;
    };
    const checks = await runChecks(url, { newId, signal: interruption.signal });
    expect(checks.length).toBeLessThan(10);
    expect(checks.at(-1)).toEqual({ name: allCanceled, ok: true, detail: "" });
    expect(await listUnbalanced(url)).toEqual([]);
  });
});

describe("the time of a check", () => {
  /** An adapter whose look-ups say for ever that they are processing. */
  const undecided = replacePart(
    "[200, charges.get(id)]",
    '[200, { outcome: "processing", reference: "r", ask_again_in: 1 }]',
  );

  test("is limited, and what is still processing then is told with the limit", async () => {
    const waits: number[] = [];
    const limits = new Map<string, number>();
    const url = await startExampleAdapter(undecided);
    const found = "an approved charge is found by its id";
    const checks = await runChecksUpTo(found, url, {
      wait: async (waitMs) => waits.push(waitMs),
      onCheck: (name, limitMs) => limits.set(name, limitMs),
    });
    expect(limits.get(found)).toBe(60_000);
    expect(waits.length).toBeLessThan(120); // in this check and the next one
    expect(findBroken(checks)[0]).toMatchObject({
      name: found,
      detail: expect.stringMatching(
        /^its look-up: still processing, instead of approved .*; a check may take 60 s$/,
      ) as unknown,
    });
  });

  test("ends also where no answer comes; later ones are shorter, and all is canceled", async () => {
    const limits: number[] = [];
    const url = await startExampleAdapter((code) =>
      replacePart(
        "[200, charge(await json(request))]",
        "[200, (charge(await json(request)), await new Promise(() => {}))]",
      )(withRecords(code)),
    );
    const checks = await runChecks(url, {
      limitMs: 600,
      onCheck: (_, limitMs) => limits.push(limitMs),
    });
    const late = findBroken(checks).map(({ detail }) => detail);
    expect(late).toContain("it did not end; a check may take 0.6 s");
    expect(late).toContain("it did not end; a check may take 0.1 s");
    expect([limits[0], limits.at(-2), limits.at(-1)]).toEqual([600, 100, 600]);
    expect(checks.at(-1)).toEqual({ name: allCanceled, ok: true, detail: "" });
    expect(await listUnbalanced(url)).toEqual([]);
  });
});

const allCanceled = "every charge is canceled or refunded";
const refused = "a request with a wrong secret, or without one, is refused with 401";
const neverSent = "a charge that was never sent is answered with 404, unknown";
const approved = "the card 4242 4242 4242 4242 is approved";
const declined = "the card 4000 0000 0000 0002 is declined, and its charge found so by its id";
const otherCard = "an approved charge that is sent again with another card is not made again";
const refundedOnce = "a refund is made once, also where it is sent twice at once, and again";
const canceledTwice =
  "an approved charge is canceled, also the second time, and found so by its id";

const cancel = '  charges.set(id, { outcome: "canceled" });\n  return charges.get(id);';

const listed = "the transactions have each charge once, and each refund once";

/** Faulty adapters, and the promise that each of them breaks. */
const faulty: [what: string, part: string, by: string, promise: string][] = [
  [
    "charges again",
    "if (!charges.has(id))",
    'if (charges.get(id)?.outcome !== "canceled")',
    "a charge that is sent again is made once",
  ],
  [
    "decides anew for another card",
    "if (!charges.has(id))",
    "if (charges.get(id)?.outcome !== decide(card).outcome)",
    otherCard,
  ],
  [
    "charges another card after a decline",
    "if (!charges.has(id))",
    'if (!charges.has(id) || charges.get(id).outcome === "declined")',
    "a declined charge that is sent again with another card is not made",
  ],
  [
    "charges again after a cancel",
    'return declined("generic_decline", "It was canceled.")',
    'return { outcome: "approved", reference: "again" }',
    "a canceled charge that is sent again is not made again",
  ],
  ["does not store a cancel", cancel, 'return { outcome: "canceled" };', canceledTwice],
  [
    "cancels only a known charge",
    cancel,
    `if (charges.has(id)) ${cancel.trim().replace("return charges.get(id)", 'return { outcome: "canceled" }')}`,
    "a charge that is sent after its cancel is not made",
  ],
  [
    "cancels once only",
    cancel,
    `if (charges.get(id)?.outcome === "canceled") throw new Error();\n${cancel}`,
    canceledTwice,
  ],
  ["cancels nothing", cancel, 'return { outcome: "declined" };', allCanceled],
  ["refunds twice", "if (!refunds.has(id))", "if (id)", refundedOnce],
  [
    "refunds a declined charge",
    'if (charges.get(id)?.outcome !== "approved")',
    "if (!id)",
    "a declined charge is not refunded",
  ],
  ["lists no refunds", '    record(id, "refund");\n  }', "  }", listed],
  [
    "lists a charge twice",
    'record(id, "charge");\n  }',
    'record(id, "charge"), record(id, "charge");\n  }',
    listed,
  ],
  ["lists its first page again", "String(end)", '"0"', listed],
  ["requires no secret", "return [401, {}];", ";", refused],
  [
    "requires no secret for a look-up",
    "return [401, {}];",
    'if (request.method !== "GET") return [401, {}];',
    refused,
  ],
  ["refuses a secret with another status", "return [401, {}]", "return [403, {}]", refused],
  ["knows a charge that was never sent", "[404, {", "[200, {", neverSent],
  [
    "does not find its charges",
    "charges.has(id) ? [200,",
    "!id ? [200,",
    "an approved charge is found by its id",
  ],
  ["declines nothing", 'if (number === "4000000000000002")', "if (!number)", declined],
  ["declines everything", 'if (number === "4000000000000002")', "if (number)", approved],
  [
    "makes its reference of the card's number",
    "`charge-${randomUUID()}`",
    "`charge-${number}`",
    "a reference contains no card number",
  ],
  ["makes its reference too long", "`refund-${randomUUID()}`", '"r".repeat(256)', refundedOnce],
  ["redirects a charge", "return [200, charge(await json(request))]", "return [307, {}]", approved],
  ["answers with another good status", "return [200, charge(", "return [201, charge(", approved],
  ["answers with text", "JSON.stringify(body)", "String(body.outcome)", approved],
  [
    "answers with 70 KiB",
    "JSON.stringify(body)",
    "JSON.stringify(body).padEnd(70 * 1024)",
    approved,
  ],
  [
    "never decides",
    "return [200, charge(await json(request))]",
    'return [200, { outcome: "processing", reference: "r", ask_again_in: 3600 }]',
    approved,
  ],
];

test.each(faulty)("the check detects an adapter that %s", async (_, part, by, promise) => {
  const url = await startExampleAdapter(replacePart(part, by));
  const found = findBroken(await runChecksUpTo(promise, url));
  expect(found.map(({ name }) => name)).toContain(promise);
  for (const { detail } of found) expect(detail).toMatch(/^[^\n]+$/);
});

test("every request has the client's user agent, also the first one", async () => {
  const server = await scriptedServer(json(404, { outcome: "unknown" }));
  await runChecks(server.url);
  expect(server.requests.length).toBeGreaterThan(10);
  const senders = server.requests.map(({ headers }) => headers["user-agent"]);
  expect([...new Set(senders)]).toEqual(["payments/1.2.3"]);
});

test("a broken promise has a reason", async () => {
  const twice = replacePart("if (!refunds.has(id))", "if (id)");
  const [only, ...others] = findBroken(await runChecks(await startExampleAdapter(twice)));
  expect(others).toEqual([]);
  expect(only?.detail).toMatch(
    /^the second answer: refunded with the reference "refund-\S+", instead of refunded with the reference "refund-\S+"$/,
  );
});

describe("an adapter cannot be reached", () => {
  test("where no server listens", async () => {
    const trial = runChecks(`http://127.0.0.1:${await freePort()}`);
    await expect(trial).rejects.toThrow(Unavailable);
    await expect(trial).rejects.toThrow("ECONNREFUSED");
  });

  test.each([
    ["the server never answers", silence],
    ["the server closes the connection", drop],
  ])("where %s", async (_, answer) => {
    const { url } = await scriptedServer(answer);
    await expect(runChecks(url, { timeoutMs: 50 })).rejects.toThrow(
      "The adapter cannot be reached: ",
    );
  });
});

test.each([401, 403])("nothing is checked where the secret is refused with %i", async (status) => {
  const server = await scriptedServer(text(status, ""));
  const trial = runChecks(server.url);
  await expect(trial).rejects.toThrow(Unavailable);
  await expect(trial).rejects.toThrow(`the adapter refused the secret (HTTP ${status})`);
  expect(server.requests).toHaveLength(1);
});
