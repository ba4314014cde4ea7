import { expect, test, vi } from "vitest";
import { runListener } from "../../../src/cli/listen/run-listener.ts";
import type { WebhookForwarder } from "../../../src/client/webhook-forwarder.ts";
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

test("the listener ends at once while as many forwards hang as there may be", async () => {
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
  const running = runListener({ listeners }, { ...listening, forwarder }, ended.signal);
  await expect.poll(() => forward.mock.calls.length).toBe(4);
  ended.abort();
  await running;
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
  await runListener({ listeners }, listening, ended.signal);
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
  await runListener({ listeners }, { ...listening, reopen, show }, ended.signal);
  expect(shown).toEqual(expected);
});
