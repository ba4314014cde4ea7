import { expect, test } from "vitest";
import { body, runningService } from "../testkit/client/running-service.ts";

const service = runningService({ rateLimit: 2 });

test("a client waits as long as a rate limit asks for, and each of its payments is made once", async () => {
  const { payments } = service.client({ maxRetries: 10 });
  const startMs = performance.now();
  const made = await Promise.all(Array.from({ length: 5 }, async () => payments.create(body)));
  expect(performance.now() - startMs).toBeGreaterThan(1_900); // two full seconds hold four of them
  const { data } = await payments.list({ limit: 100 });
  expect(new Set(data.map(({ id }) => id))).toEqual(new Set(made.map(({ id }) => id)));
  expect(data).toHaveLength(5);
});

test("a client that may not try again tells of the limit", async () => {
  const { payments } = service.client({ maxRetries: 0 });
  const answers = await Promise.allSettled(Array.from({ length: 20 }, async () => payments.list()));
  expect(answers).toContainEqual({
    status: "rejected",
    reason: expect.objectContaining({ status: 429, code: "rate_limit_exceeded" }) as unknown,
  });
});
