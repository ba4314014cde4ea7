import { expect, test } from "vitest";
import { runListener } from "../../../src/cli/listen/run-listener.ts";
import type { PaymentsClient } from "../../../src/client/client.ts";

test("the listener pauses before the next request to a service that cannot wait", async () => {
  const ended = new AbortController();
  const askedMs: number[] = [];
  const listeners = {
    take: async () => {
      if (askedMs.push(performance.now()) === 3) ended.abort();
      return { data: [] };
    },
  } as unknown as PaymentsClient["listeners"];
  const listening = {
    endpointId: "we_1",
    events: ["*"] satisfies ["*"],
    waitSeconds: 0.2,
    leaseSeconds: undefined,
    forwarder: undefined,
    onReported: () => {},
    show: async () => {},
    connection: { lost: () => {}, back: () => {} },
  };
  await runListener({ listeners }, listening, ended.signal);
  const [first = 0, second = 0, third = 0] = askedMs;
  expect(Math.min(second - first, third - second)).toBeGreaterThan(190);
});
