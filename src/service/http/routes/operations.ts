import type { FastifyInstance, FastifyReply } from "fastify";

export const operationsPaths = {
  health: "/healthz",
  readiness: "/readyz",
  metrics: "/metrics",
} as const;

/** Why requests should go to another replica. */
export type UnreadyReason = "shutting_down" | "store_unreachable" | "schema_outdated";

/** What an operator's programs ask a service that runs. */
export type Operations = {
  /** undefined: the service is ready. */
  unreadyReason: () => Promise<UnreadyReason | undefined>;
  /** The metrics, in the form that Prometheus reads. */
  metrics: () => Promise<{ type: string; text: string }>;
};

const retryAfterSeconds = "1";

/**
 * What watches over the service may ask, without a key: whether it is alive, whether it wants
 * requests, and how it fares. The answers tell nothing of who uses it or what for.
 */
export function registerOperationsRoutes(
  app: FastifyInstance,
  { unreadyReason, metrics }: Operations,
): void {
  app.get(operationsPaths.health, async (_request, reply) => fresh(reply).send({ status: "ok" }));

  app.get(operationsPaths.readiness, async (_request, reply) => {
    const reason = await unreadyReason();
    if (!reason) return fresh(reply).send({ status: "ready" });
    return fresh(reply)
      .code(503)
      .header("retry-after", retryAfterSeconds)
      .send({ status: "unready", reason });
  });

  app.get(operationsPaths.metrics, async (_request, reply) => {
    const { type, text } = await metrics();
    return fresh(reply).header("content-type", type).send(text);
  });
}

const pattern = new RegExp(`^(?:${Object.values(operationsPaths).join("|")})(?:[?#]|$)`);

/** Whether a request asks how the service fares: such a one is answered whatever else goes on. */
export function isOperationsPath(url: string): boolean {
  return pattern.test(url);
}

function fresh(reply: FastifyReply): FastifyReply {
  return reply.header("cache-control", "no-store");
}
