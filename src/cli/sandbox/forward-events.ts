import { PaymentsClient } from "../../client/client.ts";
import { createWebhookForwarder } from "../../client/webhook-forwarder.ts";
import {
  type Subscription,
  allEventTypes,
  execForwarding,
  maxWaitSeconds,
  sandboxKeys,
  watcherHeader,
} from "../../contract/field-values.ts";
import { createHttpTransport } from "../../runtime/http-transport.ts";
import { toFailure } from "../output/explain-failure.ts";
import { createServiceTime } from "../config/service-address.ts";
import type { Forwarding } from "../listen/listen-flags.ts";
import { runListener } from "../listen/run-listener.ts";

const events: Subscription = [allEventTypes];

/**
 * Forwards the events of a sandbox that has just begun, also those before a receiver answers, and after each reset, as
 * `payments listen` does. Its own requests are in no journal, and meet no fault. `end` waits for the event under way.
 */
export async function startForwarding(
  sandboxUrl: string,
  { routes, leaseSeconds, ...forward }: Forwarding,
  version: string,
) {
  const http = createHttpTransport(sandboxUrl);
  const time = createServiceTime();
  const client = new PaymentsClient({
    apiKey: sandboxKeys.test,
    baseUrl: {
      ...http,
      send: async (request) => {
        const headers = { ...request.headers, [watcherHeader]: "1" };
        const answer = await http.send({ ...request, headers });
        time.see(answer.headers);
        return answer;
      },
    },
  });
  const open = async () => {
    const endpoint = await client.webhookEndpoints.create({
      url: null,
      events,
      description: execForwarding,
    });
    await client.listeners.start(endpoint.id, { since: 0 });
    return { endpointId: endpoint.id, secret: endpoint.secret ?? "" };
  };
  const { endpointId, secret } = await open();
  const signing = { secret, nowMs: time.signingMs, version, isLive: false };
  const forwarder = createWebhookForwarder(routes, { ...forward, ...signing });
  const ending = new AbortController();
  const listening = {
    endpointId,
    reopen: async () => ({ ...(await open()), startsOver: true }),
    events,
    waitSeconds: maxWaitSeconds,
    leaseSeconds,
    forwarder,
    show: async () => {},
    onReported: () => {},
    connection: { lost: () => {}, back: () => {} },
  };
  const running = runListener(client, listening, ending.signal);
  const ended = running.catch((error: unknown) => {
    if (ending.signal.aborted) return;
    process.stderr.write(`No event is forwarded any more: ${toFailure(error).problem.message}\n`);
  });
  return {
    secret,
    end: async (): Promise<void> => {
      ending.abort();
      await ended;
      await forwarder.close();
      await client.close();
    },
  };
}
