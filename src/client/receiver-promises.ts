import type { Event } from "../contract/event.ts";

/** The response of a receiver: its status, or why there was none. */
export type Answer = { status: number | null; failure?: string; tookMs: number };

/** What is sent: by default the event's JSON, signed now with the receiver's secret. */
export type Sending = {
  body?: string;
  /** Other secrets than the receiver's, in the order of their signatures; none leaves the signature out. */
  secrets?: readonly string[];
  /** By how many seconds the time of the signature differs from now. */
  shiftSeconds?: number;
  /** Signs this body instead of the one that is sent. */
  signedBody?: string;
};

/** The means of a promise: real test payments, and the way to the receiver. */
export type Trial = {
  /** Creates a payment that succeeds. Returns its `payment.succeeded`. */
  pay: (more?: { description?: string; fillsMetadata?: boolean }) => Promise<Event>;
  /** Refunds the payment of an event. Returns its `payment.refunded`. */
  refund: (event: Event) => Promise<Event>;
  send: (event: Event, sending?: Sending) => Promise<Answer>;
  /** Sends the event, cuts the connection before the response, and waits as a retry does. */
  sendAndCut: (event: Event) => Promise<void>;
  /** The receiver's own secret, and one that it does not know. */
  secret: string;
  otherSecret: string;
};

export type ReceiverPromise = {
  name: string;
  /** What is sent, and what has to come back, in words. */
  sent: string;
  holds: string;
  /** The section of docs/webhooks.md that helps. */
  section: string;
  /** Whether the receiver is to respond with 2xx. */
  isAccepted: boolean;
  /** By how much the effect is to rise at least, before the next promise begins. */
  effect: number;
  /** Whether another rise of the effect breaks the promise; `most`: a smaller one does not. */
  judges?: "exactly" | "most";
  check: (trial: Trial) => Promise<Answer[]>;
};

const verify = "verify-it";
const once = "process-it-once-and-in-order";

/** What a receiver of webhooks has to do, in the order in which it is checked. */
export const receiverPromises = [
  accepts("accepts-event", "a payment.succeeded", async ({ pay, send }) => [
    await send(await pay()),
  ]),
  {
    ...accepts("accepts-unknown-type", "an event of a type of later", async ({ pay, send }) => {
      const event = await pay();
      return [await send(event, { body: JSON.stringify({ ...event, type: "payment.archived" }) })];
    }),
    section: "what-arrives",
    effect: 0,
  },
  {
    ...accepts("accepts-unknown-field", "fields of later", async ({ pay, send }) => {
      const event = await pay();
      const object = { ...event.data.object, field_of_later: { level: 1 } };
      const body = JSON.stringify({ ...event, field_of_later: [1], data: { object } });
      return [await send(event, { body })];
    }),
    section: "what-arrives",
  },
  accepts("accepts-unicode", "text of many scripts", async ({ pay, send }) => [
    await send(await pay({ description: "Crème brûlée, Ζωή, Привет, 東京, القاهرة, नमस्ते, 👩‍👩‍👧 ☕" })),
  ]),
  accepts("accepts-large", "the largest metadata", async ({ pay, send }) => [
    await send(await pay({ fillsMetadata: true })),
  ]),
  {
    ...accepts(
      "accepts-rotation",
      "two signatures, the known secret's first, then last",
      async ({ pay, send, secret, otherSecret }) => [
        await send(await pay(), { secrets: [secret, otherSecret] }),
        await send(await pay(), { secrets: [otherSecret, secret] }),
      ],
    ),
    holds: "2xx both",
    section: "a-new-secret",
    effect: 2,
  },
  refuses("refuses-forged", "signed with another secret", async ({ pay, send, otherSecret }) => [
    await send(await pay(), { secrets: [otherSecret] }),
  ]),
  refuses("refuses-unsigned", "no signature", async ({ pay, send }) => [
    await send(await pay(), { secrets: [] }),
  ]),
  refuses("refuses-altered", "one byte of the signed body changed", async ({ pay, send }) => {
    const event = await pay();
    const signedBody = JSON.stringify(event);
    const body = signedBody.replace(/"amount":\d/, (start) => `${start.slice(0, -1)}9`);
    return [await send(event, { body, signedBody })];
  }),
  refuses("refuses-stale", "signed six minutes ago", async ({ pay, send }) => [
    await send(await pay(), { shiftSeconds: -6 * 60 }),
  ]),
  refuses("refuses-future", "signed six minutes ahead", async ({ pay, send }) => [
    await send(await pay(), { shiftSeconds: 6 * 60 }),
  ]),
  actsOnce("once-when-repeated", "the same event twice", async ({ pay, send }) => {
    const event = await pay();
    return [await send(event), await send(event)];
  }),
  actsOnce(
    "once-when-answer-lost",
    "the connection cut before the answer, then again",
    async ({ pay, send, sendAndCut }) => {
      const event = await pay();
      await sendAndCut(event);
      return [await send(event)];
    },
  ),
  actsOnce("once-when-concurrent", "the same event twice at once", async ({ pay, send }) => {
    const event = await pay();
    return await Promise.all([send(event), send(event)]);
  }),
  {
    ...actsOnce(
      "latest-state-when-reordered",
      "sequence 2, then sequence 1 of a payment",
      async ({ pay, refund, send }) => {
        const first = await pay();
        const second = await refund(first);
        return [await send(second), await send(first)];
      },
    ),
    holds: "2xx both, the effect of 2 alone",
    judges: "most",
  },
] as const satisfies readonly ReceiverPromise[];

/** Judged by all that was sent for the others. */
export const timePromise = {
  name: "answers-in-time",
  sent: "–",
  holds: "the slowest answer took at most 5 s (a warning to 15 s)",
  section: "answer-fast",
} as const;

export const receiverPromiseNames = [
  ...receiverPromises.map(({ name }) => name),
  timePromise.name,
] as const;
export type ReceiverPromiseName = (typeof receiverPromiseNames)[number];

type Check = ReceiverPromise["check"];

function accepts<Name extends string>(name: Name, sent: string, check: Check) {
  return { name, sent, holds: "2xx", section: verify, isAccepted: true, effect: 1, check };
}

function refuses<Name extends string>(name: Name, sent: string, check: Check) {
  const holds = "not 2xx, no effect";
  return {
    name,
    sent,
    holds,
    section: verify,
    isAccepted: false,
    effect: 0,
    check,
    judges: "exactly" as const,
  };
}

function actsOnce<Name extends string>(name: Name, sent: string, check: Check) {
  const holds = "2xx, effect once";
  return {
    name,
    sent,
    holds,
    section: once,
    isAccepted: true,
    effect: 1,
    check,
    judges: "exactly" as const,
  };
}
