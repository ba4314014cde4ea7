import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Event } from "../../../src/contract/event.ts";
import type { PaymentStatus } from "../../../src/contract/payment.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";
import { eventWith, newSecret, paymentWith } from "../../testkit/api-objects.ts";
import { scriptedServer, text } from "../../testkit/client/scripted-server.ts";
import { documentedCode } from "../../testkit/documented-examples.ts";
import { senderForTest, startExampleReceiver, webhookTo } from "../../testkit/service/webhooks.ts";

/** The event of a payment's change to a status; `sequence` counts the payment's events. */
function buildEvent(id: string, status: PaymentStatus, sequence: number): Event {
  const object = paymentWith({ id, status });
  return eventWith({
    id: `evt_${id.slice(4)}-${sequence}`,
    type: `payment.${status}`,
    sequence,
    data: { object },
  });
}

describe("the receiver of the documentation", () => {
  test("accepts only webhooks of the service", async () => {
    const secret = newSecret();
    const { url, lines } = await startExampleReceiver(secret);
    const sender = senderForTest();
    const forged = await sender.send(webhookTo(url));
    expect(forged).toMatchObject({ outcome: "failed", status: 400 });
    const old = webhookTo(url, { secrets: [secret], nowMs: Date.now() - 600_000 });
    expect(await sender.send(old)).toMatchObject({ outcome: "failed", status: 400 });
    const webhook = webhookTo(url, { secrets: [newSecret(), secret] });
    expect(await sender.send(webhook)).toMatchObject({ outcome: "delivered", status: 204 });
    const { id, status } = paymentWith();
    await expect.poll(() => lines).toEqual([`${id} ${status}`]);
  });

  test("knows the final status of each payment, even if events are repeated or out of order", async () => {
    const secret = newSecret();
    const { url, lines } = await startExampleReceiver(secret);
    const sender = senderForTest();
    const histories: PaymentStatus[][] = [
      ["succeeded"],
      ["succeeded", "refunded"],
      ["pending", "failed"],
      ["pending", "succeeded", "refunded"],
    ];
    const ends = new Map<string, PaymentStatus | undefined>();
    const events = Array.from({ length: 200 }, (_, number) => {
      const history = histories[number % histories.length] ?? [];
      ends.set(`pay_${number}`, history.at(-1));
      return history.map((status, index) => buildEvent(`pay_${number}`, status, index + 1));
    }).flat();
    const queue = shuffle([...events, ...events.filter(() => Math.random() < 0.3)]);
    const send = async () => {
      for (let event = queue.pop(); event; event = queue.pop()) {
        const fields = { secrets: [secret], eventId: event.id, body: JSON.stringify(event) };
        expect(await sender.send(webhookTo(url, fields))).toMatchObject({ outcome: "delivered" });
      }
    };
    await Promise.all(Array.from({ length: 8 }, send));
    const known = () => new Map(lines.map((line) => line.split(" ") as [string, PaymentStatus]));
    await expect.poll(known).toEqual(ends);
  });
});

describe("the documentation's openssl script", () => {
  const script = documentedCode("webhooks.md", "sh", "openssl");

  test("verifies a webhook, also one with two signatures, and rejects a changed one", async () => {
    const server = await scriptedServer(text(200, ""));
    const secrets = [newSecret(), newSecret()];
    await senderForTest().send(webhookTo(server.url, { secrets }));
    const { headers = {}, body = "" } = server.requests[0] ?? {};
    const folder = createTemporaryHome();
    const verify = (secret: string, received: string, changes: Record<string, string> = {}) => {
      writeFileSync(join(folder, "body.json"), received);
      const env = {
        PATH: process.env["PATH"],
        SECRET: secret,
        WEBHOOK_ID: String(headers["webhook-id"]),
        WEBHOOK_TIMESTAMP: String(headers["webhook-timestamp"]),
        WEBHOOK_SIGNATURE: String(headers["webhook-signature"]),
        ...changes,
      };
      const { stdout } = spawnSync("sh", ["-c", script], { cwd: folder, env, encoding: "utf8" });
      return stdout.trim();
    };
    for (const secret of secrets) expect(verify(secret, body)).toBe("genuine");
    expect(verify(newSecret(), body)).toBe("forged");
    expect(verify(secrets[0] ?? "", `${body} `)).toBe("forged");
    expect(verify(secrets[0] ?? "", body, { WEBHOOK_ID: "evt_2" })).toBe("forged");
    expect(verify(secrets[0] ?? "", body, { WEBHOOK_TIMESTAMP: "1" })).toBe("forged");
  });
});

function shuffle<T>(values: T[]): T[] {
  return values
    .map((value) => ({ value, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ value }) => value);
}
