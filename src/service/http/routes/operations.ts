import type { FastifyInstance, FastifyReply } from "fastify";

const paths = {
  health: "/healthz",
  readiness: "/readyz",
  metrics: "/metrics",
} as const;

/** Why requests should go to another replica. */
export type UnreadyReason =
  | "shutting_down"
  | "store_unreachable"
  | "store_not_writable"
  | "schema_outdated";

/** Probes and metrics of a running service. */
export type Operations = {
  /** undefined: the service is ready. */
  unreadyReason: () => Promise<UnreadyReason | undefined>;
  /** The metrics, in the form that Prometheus reads. */
  metrics: () => Promise<{ type: string; text: string }>;
};

/**
 * Whether the service is alive, whether it is ready, and its metrics, without a key. The responses say nothing
 * about who uses it or what for.
 */
export function registerOperationsRoutes(
  app: FastifyInstance,
  { unreadyReason, metrics }: Operations,
): void {
  app.get(paths.health, async (_request, reply) => forbidCaching(reply).send({ status: "ok" }));

  app.get(paths.readiness, async (_request, reply) => {
    const reason = await unreadyReason();
    if (!reason) return forbidCaching(reply).send({ status: "ready" });
    return forbidCaching(reply)
      .code(503)
      .header("retry-after", "1")
      .send({ status: "unready", reason });
  });

  app.get(paths.metrics, async (_request, reply) => {
    const { type, text } = await metrics();
    return forbidCaching(reply).header("content-type", type).send(text);
  });
}

export const operationsPaths = Object.values(paths);

const pattern = new RegExp(`^(?:${operationsPaths.join("|")})(?:[?#]|$)`);

/** Whether a path is one of these, which are answered also under overload. */
export function isOperationsPath(url: string): boolean {
  return pattern.test(url);
}

function forbidCaching(reply: FastifyReply): FastifyReply {
  return reply.header("cache-control", "no-store");
}
