import { expect, test, vi } from "vitest";
import { runListener } from "../../../src/cli/listen/run-listener.ts";
import type { WebhookForwarder } from "../../../src/client/webhook-forwarder.ts";
import type { PaymentsClient } from "../../../src/client/client.ts";

const listening = {
  endpointId: "we_1",
  reopen: async () => "we_2",
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
