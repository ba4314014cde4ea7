import { expect, test, vi } from "vitest";
import { runListener } from "../../../src/cli/listen/run-listener.ts";
import type { Forwarded, WebhookForwarder } from "../../../src/client/webhook-forwarder.ts";
import type { PaymentsClient } from "../../../src/client/client.ts";
import { ApiError } from "../../../src/client/errors.ts";
import { envelopeError } from "../../testkit/client/scripted-server.ts";

const listening = {
  endpointId: "we_1",
  reopen: async () => ({ endpointId: "we_2", startsOver: false }),
  events: ["*"] satisfies ["*"],
  waitSeconds: 0.2,
  leaseSeconds: undefined,
  forwarder: undefined,
  onReported: () => {},
  show: async () => {},
  connection: { lost: () => {}, back: () => {} },
};

/** Only where nobody answers is it asked for a delivery. */
const webhookEndpoints = {} as PaymentsClient["webhookEndpoints"];
const refused: Forwarded = { status: null, failure: "refused", tookMs: 1 };

test("the listener ends at once while a forward hangs, beside which there is no other", async () => {
  const ended = new AbortController();
  const forward = vi.fn<() => Promise<never>>(async () => new Promise(() => {}));
  const listeners = {
    take: async (_: string, { limit }: { limit: number }) => ({
      data: Array.from({ length: limit }, (__, at) => ({
        id: `del_${at}`,
        attempts: 0,
        event: {},
      })),
    }),
  } as unknown as PaymentsClient["listeners"];
  const forwarder = { forward, close: async () => {} } as unknown as WebhookForwarder;
  const client = { listeners, webhookEndpoints };
  const running = runListener(client, { ...listening, forwarder }, ended.signal);
  await expect.poll(() => forward.mock.calls.length).toBe(1);
  ended.abort();
  await running;
  expect(forward).toHaveBeenCalledOnce();
});

test.each([
  ["was forgotten with its sandbox", undefined],
  ["was given up", "failed"],
])("an event that waits for somebody to answer, and %s, is not sent again", async (_, status) => {
  const ended = new AbortController();
  const taken = { id: "del_1", attempts: 0, event: { id: "evt_1", type: "payment.failed" } };
  const answers = [[taken], []];
  const listeners = {
    take: async () => {
      if (answers.length === 1) ended.abort();
      return { data: answers.shift() ?? [] };
    },
    report: async () => {
      throw new Error("Nothing was answered that could be reported.");
    },
  } as unknown as PaymentsClient["listeners"];
  const delivery = async () => {
    if (status === undefined) throw new ApiError(404, { error: envelopeError });
    return { status };
  };
  const forward = vi.fn<() => Promise<Forwarded>>(async () => refused);
  const forwarder = { forward, close: async () => {} };
  await runListener(
    { listeners, webhookEndpoints: { ...webhookEndpoints, delivery } as never },
    { ...listening, forwarder },
    ended.signal,
  );
  expect(forward).toHaveBeenCalledOnce();
});

test("the listener pauses before the next request to a service that cannot wait", async () => {
  const ended = new AbortController();
  const askedMs: number[] = [];
  const listeners = {
    take: async () => {
      if (askedMs.push(performance.now()) === 3) ended.abort();
      return { data: [] };
    },
  } as unknown as PaymentsClient["listeners"];
  await runListener({ listeners, webhookEndpoints }, listening, ended.signal);
  const [first = 0, second = 0, third = 0] = askedMs;
  expect(Math.min(second - first, third - second)).toBeGreaterThan(190);
});

test.each([
  ["is not shown again what the lost one was shown", false, ["evt_1"]],
  ["in a sandbox that was reset is shown new events with the same ids", true, ["evt_1", "evt_1"]],
])("another listener %s", async (_, startsOver, expected) => {
  const ended = new AbortController();
  const shown: string[] = [];
  const delivery = { id: "del_1", attempts: 0, event: { id: "evt_1", type: "payment.succeeded" } };
  const answers = [[delivery], undefined, [delivery], []];
  const listeners = {
    take: async () => {
      if (answers.length === 1) ended.abort();
      const data = answers.shift();
      if (!data) throw new ApiError(404, { error: envelopeError });
      return { data };
    },
    report: async () => {},
  } as unknown as PaymentsClient["listeners"];
  const reopen = async () => ({ endpointId: "we_2", startsOver });
  const show = async ({ id }: { id: string }) => void shown.push(id);
  const client = { listeners, webhookEndpoints };
  await runListener(client, { ...listening, reopen, show }, ended.signal);
  expect(shown).toEqual(expected);
});
