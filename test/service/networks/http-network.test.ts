import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, onTestFinished, test, beforeAll } from "vitest";
import { createHttpNetwork, type HttpNetwork } from "../../../src/service/networks/http-network.ts";
import type { CardNetwork } from "../../../src/service/networks/card-network.ts";
import {
  drop,
  half,
  halfAndDrop,
  json,
  noHttp,
  scriptedServer,
  silence,
  text,
  type Answer,
} from "../../testkit/client/scripted-server.ts";
import { freePort } from "../../testkit/sockets/tcp-proxy.ts";
import { cardWith, chargeWith } from "../../testkit/network/fake-network.ts";
import { openUntilFileEnds } from "../../testkit/open-until-file-ends.ts";
import {
  decideAtExampleBank,
  secret,
  startExampleAdapter,
} from "../../testkit/documented-examples.ts";
import {
  testChallenges,
  testDecisions,
  testStoredCharges,
} from "../../testkit/network/promises.ts";

type Operation = "charge" | "lookUp" | "cancel" | "refund";
const operations: Operation[] = ["charge", "lookUp", "cancel", "refund"];

const id = "pay_0199c5a8-7f3e-7abc-9def-0123456789ab";
const charge = chargeWith({ id });
const card = cardWith();

async function ask(network: CardNetwork, operation: Operation) {
  return await (operation === "charge" ? network.charge(charge, card) : network[operation](charge));
}

function networkAt(url: string, timeoutMs?: number): HttpNetwork {
  const network = createHttpNetwork({
    url,
    secret: "s3cret",
    version: "1.2.3",
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  onTestFinished(async () => network.close());
  return network;
}

/** Calls an operation against a scripted answer; returns the outcome and the requests. */
async function callWith(operation: Operation, answer: Answer, timeoutMs?: number) {
  const server = await scriptedServer(answer);
  const outcome = await ask(networkAt(server.url, timeoutMs), operation);
  return { outcome, requests: server.requests };
}

const approved = { outcome: "approved", reference: "ch_1" };
const refunded = { outcome: "refunded", reference: "re_1" };
const canceled = { outcome: "canceled" };
const processing = { outcome: "processing", reference: "ch_1" };
const declined = (code: string) => ({ outcome: "declined", code });
const url = "https://bank.example/challenge/1?of=2#3";
const action = { outcome: "action", reference: "ch_1", url };
const longest = { outcome: "approved", reference: "💶".repeat(255) };

/** One row for each valid answer, with 200 unless the status is given. */
const understood: [Operation, answer: object, outcome: object, status?: number][] = [
  ["charge", approved, approved],
  ["charge", { ...declined("insufficient_funds"), message: "No." }, declined("insufficient_funds")],
  ["charge", { ...processing, ask_again_in: 86_400 }, { ...processing, retryAfterMs: 86_400_000 }],
  ["charge", { ...longest, more: "that is ignored" }, longest],
  ["charge", { ...action, ask_again_in: 10 }, { ...action, retryAfterMs: 10_000 }],
  ["lookUp", { ...action, ask_again_in: 86_400 }, { ...action, retryAfterMs: 86_400_000 }],
  ["lookUp", approved, approved],
  ["lookUp", { ...declined("expired_card"), message: "" }, declined("expired_card")],
  ["lookUp", { ...processing, ask_again_in: 1 }, { ...processing, retryAfterMs: 1_000 }],
  ["lookUp", canceled, canceled],
  ["lookUp", { outcome: "unknown" }, { outcome: "not_found" }, 404],
  ["cancel", canceled, canceled],
  [
    "cancel",
    { outcome: "processing", ask_again_in: 1.0001 },
    { outcome: "processing", retryAfterMs: 1_001 },
  ],
  ["refund", refunded, refunded],
  ["refund", { ...declined("generic_decline"), message: "" }, declined("generic_decline")],
  [
    "refund",
    { outcome: "processing", ask_again_in: 60 },
    { outcome: "processing", retryAfterMs: 60_000 },
  ],
];

describe("an answer of the protocol is understood", () => {
  test.each(understood)("%s: %j", async (operation, answer, outcome, status = 200) => {
    expect((await callWith(operation, json(status, answer))).outcome).toEqual(outcome);
  });

  test("also at its maximum size", async () => {
    const answer = JSON.stringify({ outcome: "canceled" }).padEnd(64 * 1024);
    expect((await callWith("cancel", text(200, answer))).outcome).toEqual({ outcome: "canceled" });
  });
});

test("an answer that is sent twice is not taken for that of the next charge", async () => {
  const outcomes = [{ ...declined("generic_decline"), message: "" }, approved];
  const toAnswer = (number: number) => {
    const body = JSON.stringify(outcomes[number % 2]);
    return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  };
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => {
      if (!String(chunk).startsWith("POST ")) return;
      // On a connection that is used again, the last answer comes again just before the next one.
      if (sockets.includes(socket)) socket.write(toAnswer(sockets.length - 1));
      const number = sockets.push(socket) - 1;
      setImmediate(() => socket.write(toAnswer(number)));
    });
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const network = networkAt(`http://127.0.0.1:${port}`);
  const heard = [];
  for (let count = 0; count < 6; count++) {
    heard.push((await network.charge(charge, card)).outcome);
    await nextTurn(); // in which a connection would become free again
  }
  expect(heard).toEqual(["declined", "approved", "declined", "approved", "declined", "approved"]);
});

test.each(["charge", "lookUp"] as const)(
  "an action, to %s, leads nowhere where its url is unusable, and is unknown without one",
  async (operation) => {
    const answer = { ...action, ask_again_in: 1 };
    const unusable = await callWith(operation, json(200, { ...answer, url: "/bank/1" }));
    expect(unusable.outcome).toEqual({ ...action, url: null, retryAfterMs: 1_000 });
    const missing = await callWith(operation, json(200, { ...answer, url: null }));
    expect(missing.outcome).toMatchObject({ outcome: "unknown" });
  },
);

test("an action leads nowhere where its url holds the charged card's number", async () => {
  const at = "https://bank.example/9999999999999995";
  const server = await scriptedServer(json(200, { ...action, url: at, ask_again_in: 1 }));
  const withheld = { ...action, url: null, retryAfterMs: 1_000, isMasked: true };
  const charged = cardWith({ number: "9999999999999995" }); // which looks like none
  expect(await networkAt(server.url).charge(charge, charged)).toEqual(withheld);

  const visa = "https://bank.example/4242424242424242";
  const later = await scriptedServer(json(200, { ...action, url: visa, ask_again_in: 1 }));
  const network = networkAt(later.url);
  expect(await network.lookUp({ ...charge, last4: "4242" })).toEqual(withheld);
  expect(await network.lookUp({ ...charge, last4: "3184" })).toMatchObject({ url: visa });
});

async function declineWith(code: string) {
  const answer = json(200, { outcome: "declined", code, message: "" });
  return (await callWith("charge", answer)).outcome;
}

describe("a decline with an unknown code", () => {
  test("is a generic one, with the network's own code for the log", async () => {
    expect(await declineWith("do_not_honour")).toEqual({
      outcome: "declined",
      code: "generic_decline",
      networkCode: "do_not_honour",
    });
  });

  test("holds no card number, and is cut to the maximum length", async () => {
    const outcome = await declineWith(`${card.number} ${"x".repeat(500)}`);
    expect(outcome).toMatchObject({ networkCode: `… ${"x".repeat(98)}` });
  });
});

test("a card number that an adapter sends is masked, and reported", async () => {
  const said = "ch/4242-4242-4242-4242/1";
  const found = { reference: "ch/…/1", isMasked: true };
  const answers: [Operation, answer: object, outcome: object][] = [
    ["charge", { outcome: "approved" }, { outcome: "approved" }],
    ["lookUp", { outcome: "approved" }, { outcome: "approved" }],
    [
      "lookUp",
      { outcome: "processing", ask_again_in: 1 },
      { outcome: "processing", retryAfterMs: 1_000 },
    ],
    ["refund", { outcome: "refunded" }, { outcome: "refunded" }],
  ];
  for (const [operation, answer, outcome] of answers) {
    const sent = json(200, { ...answer, reference: said });
    expect((await callWith(operation, sent)).outcome).toEqual({ ...outcome, ...found });
  }
  for (const operation of ["charge", "lookUp", "refund"] as const) {
    const sent = json(200, { outcome: "declined", code: said, message: said });
    expect((await callWith(operation, sent)).outcome).toEqual({
      outcome: "declined",
      code: "generic_decline",
      networkCode: "ch/…/1",
      isMasked: true,
    });
  }
});

test("the charge's own number is masked where it looks like none", async () => {
  const said = "9999999999999995";
  const server = await scriptedServer(json(200, { outcome: "approved", reference: said }));
  const outcome = await networkAt(server.url).charge(charge, cardWith({ number: said }));
  expect(outcome).toEqual({ outcome: "approved", reference: "…", isMasked: true });
  const other = await networkAt(server.url).charge(charge, card);
  expect(other).toEqual({ outcome: "approved", reference: said });
});

const reference = "ch_1";
/** Answers that are invalid for every operation. */
const breaches: [what: string, answer: Answer][] = [
  ["another good status", json(201, { outcome: "canceled" })],
  ["a failure of the adapter", json(500, { outcome: "canceled" })],
  ["a redirect", text(302, "", { location: "http://127.0.0.1:9/" })],
  ["a redirect that keeps the method", text(308, "", { location: "http://127.0.0.1:9/" })],
  ["404 from another server", text(404, "<h1>Not Found</h1>")],
  ["404 with an outcome", json(404, { outcome: "approved", reference })],
  ["none", text(200, "")],
  ["text", text(200, "approved")],
  ["JSON that is no object", json(200, null)],
  ["a list", json(200, [{ outcome: "canceled" }])],
  ["an unknown outcome", json(200, { outcome: "unknown" })],
  ["an outcome in capitals", json(200, { outcome: "APPROVED", reference })],
  ["no outcome", json(200, { reference })],
  ["an approval without a reference", json(200, { outcome: "approved" })],
  ["an empty reference", json(200, { outcome: "approved", reference: "" })],
  ["a reference too long", json(200, { outcome: "approved", reference: "x".repeat(256) })],
  ["a reference that no store keeps", json(200, { outcome: "approved", reference: "a\0b" })],
  ["a decline without a code", json(200, { outcome: "declined", message: "No." })],
  ["a decline without words", json(200, { outcome: "declined", code: "expired_card" })],
  ["processing without an end", json(200, { outcome: "processing", reference })],
  ["asking again at once", json(200, { outcome: "processing", reference, ask_again_in: 0 })],
  ["asking too late", json(200, { outcome: "processing", reference, ask_again_in: 86_401 })],
  ["asking in words", json(200, { outcome: "processing", reference, ask_again_in: "60" })],
  ["an action without a reference", json(200, { outcome: "action", url, ask_again_in: 1 })],
  ["an action with an empty reference", json(200, { ...action, reference: "", ask_again_in: 1 })],
  ["an action without an end", json(200, action)],
  ["an action that is asked for at once", json(200, { ...action, ask_again_in: 0.5 })],
  ["an action that is asked for too late", json(200, { ...action, ask_again_in: 86_401 })],
  ["more than 64 KiB", text(200, JSON.stringify({ outcome: "canceled" }).padEnd(64 * 1024 + 1))],
  ["a cut connection", drop],
  ["half an answer", halfAndDrop],
  ["another protocol", noHttp],
];

describe.each(operations)("to %s is unknown, and requested once", (operation) => {
  test.each(breaches)("where it is answered with %s", async (_, answer) => {
    const { outcome, requests } = await callWith(operation, answer);
    expect(outcome).toEqual({ outcome: "unknown", reason: expect.any(String) as unknown });
    expect(requests).toHaveLength(1);
    expect(JSON.stringify(outcome)).not.toMatch(/4242|987|s3cret/);
  });

  test.each([silence, half])("where no whole answer comes in time", async (answer) => {
    const { outcome } = await callWith(operation, answer, 50);
    expect(outcome).toEqual({ outcome: "unknown", reason: "no answer within 0.05 s" });
  });

  test.each([401, 403])(
    "where the secret is refused with %i, which is reported",
    async (status) => {
      const { outcome } = await callWith(operation, json(status, { outcome: "canceled" }));
      expect(outcome).toEqual({
        outcome: "unknown",
        reason: `the adapter refused the secret (HTTP ${status})`,
        isRefused: true,
      });
    },
  );

  test("where no server listens", async () => {
    expect(await ask(networkAt(`http://127.0.0.1:${await freePort()}`), operation)).toEqual({
      outcome: "unknown",
      reason: expect.stringContaining("ECONNREFUSED") as unknown,
    });
  });
});

/** The outcomes of one operation are no answers to another. */
test.each<[Operation, object]>([
  ["charge", { outcome: "canceled" }],
  ["charge", { outcome: "refunded", reference }],
  ["lookUp", { outcome: "refunded", reference }],
  ["cancel", { outcome: "approved", reference }],
  ["cancel", { ...action, ask_again_in: 1 }],
  ["refund", { ...action, ask_again_in: 1 }],
  ["cancel", { outcome: "declined", code: "generic_decline", message: "" }],
  ["refund", { outcome: "canceled" }],
  ["refund", { outcome: "approved", reference }],
])("%s is unknown where it is answered %j", async (operation, answer) => {
  const { outcome } = await callWith(operation, json(200, answer));
  expect(outcome).toMatchObject({ outcome: "unknown" });
});

test("only a charge that is looked up can be one that never arrived", async () => {
  for (const operation of ["charge", "cancel", "refund"] as const) {
    const { outcome } = await callWith(operation, json(404, { outcome: "unknown" }));
    expect(outcome).toEqual({ outcome: "unknown", reason: "HTTP 404" });
  }
});

describe("a request", () => {
  const sent = async (operation: Operation) => {
    const server = await scriptedServer(drop);
    await ask(networkAt(`${server.url}/below`), operation);
    const [request] = server.requests;
    return request ?? expect.unreachable();
  };

  test.each(operations)("with %s are the secret and the version", async (operation) => {
    const { headers } = await sent(operation);
    expect(headers).toMatchObject({
      authorization: "Bearer s3cret",
      "user-agent": "payments/1.2.3",
    });
  });

  test("with a charge is all that it is made of, null where it is unknown", async () => {
    const { method, path, headers, body } = await sent("charge");
    expect([method, path]).toEqual(["POST", "/below/charges"]);
    expect(headers["content-type"]).toBe("application/json");
    expect(JSON.parse(body)).toEqual({
      id,
      account: "acct_1",
      amount: 4999,
      currency: "eur",
      description: null,
      card: { ...card, holder_name: null },
      customer: null,
      return_url: null,
    });
  });

  test("with a charge of a payment page is where the browser comes back to", async () => {
    const server = await scriptedServer(drop);
    const returnUrl = "https://pay.example.com/pay/token/return";
    await networkAt(server.url).charge({ ...charge, returnUrl }, card);
    expect(JSON.parse(server.requests[0]?.body ?? "")).toMatchObject({ return_url: returnUrl });
  });

  test("with a charge are its description, its customer and the card's holder", async () => {
    const server = await scriptedServer(drop);
    const known = { description: "Order 1", customer: { email: "ada@example.com", name: null } };
    const ada = cardWith({ holder_name: "Ada" });
    await networkAt(server.url).charge({ ...charge, ...known }, ada);
    expect(JSON.parse(server.requests[0]?.body ?? "")).toMatchObject({ ...known, card: ada });
  });

  test.each<[Operation, method: string, path: string, body: string]>([
    ["lookUp", "GET", `/below/charges/${id}`, ""],
    ["cancel", "POST", `/below/charges/${id}/cancel`, ""],
    ["refund", "POST", `/below/charges/${id}/refund`, '{"amount":4999,"currency":"eur"}'],
  ])("to %s is a %s of %s with %j", async (operation, method, path, body) => {
    expect(await sent(operation)).toMatchObject({ method, path, body });
  });
});

describe("over HTTP, with the adapter of the documentation", () => {
  let network: HttpNetwork;
  beforeAll(async () => {
    network = createHttpNetwork({ url: await startExampleAdapter(), secret, version: "1.2.3" });
    openUntilFileEnds(async () => network.close());
  });
  testDecisions(() => network);
  testStoredCharges(() => network);
  testChallenges(() => network, decideAtExampleBank);
});
