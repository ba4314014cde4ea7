import { expect, test } from "vitest";
import { json, scriptedServer } from "../../testkit/client/scripted-server.ts";
import {
  findBroken,
  replacePart,
  runChecks,
  runChecksUpTo,
  startExampleAdapter,
} from "../../testkit/documented-examples.ts";

const challengeCardNumber = "4000002760003184";

const answered =
  "a charge of the challenge's card is answered with action, and a url for the browser";
const noNumber = "a challenge's reference and url contain no card number";
const found = "a challenge is found by the charge's id";
const sentAgain = "a charge that is sent again begins one challenge";
const atOnce = "a charge that is sent five times at once begins one challenge";
const otherCard = "a charge with a challenge that is sent again with another card is not made";
const ended = "a cancel ends a challenge, also the second time, and is found by the charge's id";
const endedForGood = "a charge that is sent again after the cancel of its challenge begins none";
const nobody =
  "a charge of the challenge's card without a return_url is decided without the customer";
const promises = [
  answered,
  noNumber,
  found,
  sentAgain,
  atOnce,
  otherCard,
  ended,
  endedForGood,
  nobody,
];

test("the adapter of the documentation keeps every promise of a challenge, and ends each", async () => {
  const url = await startExampleAdapter(
    replacePart(
      "async function answer(request) {",
      `async function answer(request) {
        if (request.url === "/records") return [200, [...charges.values()]];`,
    ),
  );
  const checks = await runChecks(url, { challengeCardNumber });
  expect(findBroken(checks)).toEqual([]);
  expect(checks.map(({ name }) => name).slice(-1 - promises.length, -1)).toEqual(promises);
  const records = (await (await fetch(`${url}/records`)).json()) as { outcome: string }[];
  expect(records.filter(({ outcome }) => outcome === "action")).toEqual([]);
});

/** Runs the checks against a server that knows nothing; returns their names and the charges that were sent. */
async function runUnanswered(special: { challengeCardNumber?: string }) {
  const server = await scriptedServer(json(404, { outcome: "unknown" }));
  const checks = await runChecks(server.url, special);
  const charges = server.requests.filter(({ path }) => path === "/charges");
  const sent = charges.map(
    ({ body }) => JSON.parse(body) as { return_url: string; card: { number: string; cvc: string } },
  );
  return { names: checks.map(({ name }) => name), sent };
}

test("nothing of a challenge is asked where no card is given", async () => {
  const { names, sent } = await runUnanswered({});
  expect(names.filter((name) => promises.includes(name))).toEqual([]);
  expect(new Set(sent.map(({ return_url }) => return_url))).toEqual(new Set([null]));
});

test("the given card is charged with an address to come back to, and once without", async () => {
  const { sent } = await runUnanswered({ challengeCardNumber: "378282246310005" });
  const asked = sent.filter(({ card }) => card.number === "378282246310005");
  const returnUrls = asked.map(({ return_url }) => return_url);
  expect(new Set(returnUrls)).toEqual(new Set(["https://payments.invalid/pay/check/return", null]));
  expect(returnUrls.filter((returnUrl) => returnUrl === null)).toHaveLength(1);
  expect(new Set(asked.map(({ card }) => card.cvc))).toEqual(new Set(["1234"]));
});

const challengeUrl = "url: `${address()}/bank/${id}`";
const lookedUp = "charges.has(id) ? [200, charges.get(id)]";
const once = "if (!charges.has(id))";
const isAsked = 'charges.get(id)?.outcome === "action"';
const cancel = 'charges.set(id, { outcome: "canceled" });';
const nobodyToAsk = "if (!returnUrl) return";

/** Faulty adapters, the promise that each of them breaks, and how. */
const faulty: [what: string, part: string, by: string, promise: string, detail: string][] = [
  [
    "never asks",
    'if (number !== "4000002760003184")',
    "if (number)",
    answered,
    "the charge: approved with the reference",
  ],
  ["sends no url", challengeUrl, "more: 1", answered, "the charge: the answer breaks the protocol"],
  [
    "sends an empty url",
    challengeUrl,
    'url: ""',
    answered,
    "the charge: action with a url that is",
  ],
  [
    "sends the browser over plain http",
    challengeUrl,
    'url: "http://bank.example/"',
    answered,
    "the charge: action with a url that is not https,",
  ],
  [
    "sends a url with a password",
    challengeUrl,
    'url: "https://me:s3cret@bank.example/"',
    answered,
    "the charge: action with a url that is not https,",
  ],
  [
    "does not say when to ask again",
    "ask_again_in: 10",
    "ask_again_in: 0",
    answered,
    "the charge: the answer breaks the protocol",
  ],
  [
    "puts the card's number into the url",
    challengeUrl,
    "url: `https://bank.example/${number}`",
    noNumber,
    "the url of a challenge has the card's number in it",
  ],
  [
    "makes the reference of the card's number",
    'outcome: "action", reference,',
    'outcome: "action", reference: number,',
    noNumber,
    "the reference of a challenge has the card's number in it",
  ],
  [
    "does not find a challenge",
    lookedUp,
    `charges.has(id) && !(${isAsked}) ? [200, charges.get(id)]`,
    found,
    "its look-up: 404, unknown, instead of action",
  ],
  [
    "says at a look-up that the customer is done",
    lookedUp,
    `${isAsked} ? [200, { outcome: "approved", reference: "ch" }] : ${lookedUp}`,
    found,
    'its look-up: approved with the reference "ch", instead of action',
  ],
  [
    "asks again with each look-up",
    lookedUp,
    `${isAsked}
      ? [200, { ...charges.get(id), url: \`https://bank.example/\${randomUUID()}\` }] : ${lookedUp}`,
    found,
    "its look-up: action with another url",
  ],
  [
    "asks again for a charge that is sent again",
    once,
    `if (!charges.has(id) || ${isAsked})`,
    sentAgain,
    "the second answer: action with the reference",
  ],
  [
    "asks once for each connection",
    "return [200, charge(await json(request))]",
    `const body = await json(request);
    const first = sockets.get(body.id) ?? request.socket;
    sockets.set(body.id, first);
    if (first !== request.socket && charges.get(body.id)?.outcome === "action")
      charges.delete(body.id);
    return [200, charge(body)]`,
    atOnce,
    "an answer: action with the reference",
  ],
  [
    "charges another card while the customer is asked",
    once,
    `if (!charges.has(id) || (${isAsked} && card.number === "4242424242424242"))`,
    otherCard,
    "the second answer: approved with the reference",
  ],
  [
    "goes on asking after a cancel",
    cancel,
    `if (${isAsked}) return { outcome: "canceled" }; ${cancel}`,
    ended,
    "its look-up: action with the reference",
  ],
  [
    "does not cancel a challenge",
    cancel,
    `if (${isAsked}) return { outcome: "declined", code: "not_charged", message: "" }; ${cancel}`,
    ended,
    "the cancel: the answer breaks the protocol",
  ],
  [
    "cancels a challenge once only",
    cancel,
    `if (returnUrls.has(id) && !(${isAsked})) throw new Error(); ${cancel}`,
    ended,
    "the second cancel: HTTP 500",
  ],
  [
    "asks again after a cancel",
    once,
    `if (!charges.has(id) || (returnUrls.has(id) && !(${isAsked})))`,
    endedForGood,
    "the charge, sent again: action with the reference",
  ],
  [
    "asks where there is nobody to ask",
    nobodyToAsk,
    "if (!number) return",
    nobody,
    "the charge: action with the reference",
  ],
  [
    "goes on where there is nobody to ask",
    nobodyToAsk,
    'if (!returnUrl) return { outcome: "processing", reference, ask_again_in: 3600 }; if (!id) return',
    nobody,
    "the charge: still processing",
  ],
];

test.each(faulty)(
  "the check of challenges detects an adapter that %s",
  async (_, part, by, promise, detail) => {
    const url = await startExampleAdapter((code) =>
      replacePart(
        "const charges =",
        "const sockets = new Map();\nconst charges =",
      )(replacePart(part, by)(code)),
    );
    const broken = findBroken(await runChecksUpTo(promise, url, { challengeCardNumber }));
    const named = broken.find(({ name }) => name === promise);
    expect(named?.detail).toContain(detail);
    expect(JSON.stringify(broken)).not.toMatch(/4000002760003184|s3cret|bank\.example/);
    const allCanceled = "every charge is canceled or refunded";
    const others = broken.filter(({ name }) => ![...promises, allCanceled].includes(name));
    expect(others).toEqual([]);
  },
);
