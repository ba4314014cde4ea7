import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { getAsset, isSea } from "node:sea";
import type { FastifyInstance, FastifyReply } from "fastify";
import { statusByCode } from "../../contract/error.ts";
import { defaultSandboxUrl } from "../../contract/field-values.ts";
import { sendJson } from "./api-routes.ts";

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

/** Documents that need no key: the API's description, with the address of this service, and the meaning of each error. */
export async function registerDocumentationRoutes(
  app: FastifyInstance,
  findServerUrl: () => string,
): Promise<void> {
  let description: Promise<Buffer> | undefined;
  app.get("/openapi.json", async (_request, reply) => {
    description ??= readDescription(findServerUrl());
    return sendJson(reply, 200, await description);
  });

  const { errorsPageStyle, renderErrorsPage } = await import("../web/design/errors-page.ts");
  const styleHash = createHash("sha256").update(errorsPageStyle).digest("base64");
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": `default-src 'none'; style-src 'sha256-${styleHash}'; frame-ancestors 'none'; base-uri 'none'`,
    "x-content-type-options": "nosniff",
  };
  let errorsPage: Buffer | undefined;
  app.get("/docs/errors", async (_request, reply) => {
    errorsPage ??= Buffer.from(renderErrorsPage(statusByCode)); // the responses share its bytes
    return reply.headers(headers).send(errorsPage);
  });
}

const isSource = import.meta.url.endsWith(".ts");

/**
 * The description as the build made it from the contract, with the address of this service in it. Read when it is first
 * asked for, and the responses share its bytes.
 */
async function readDescription(serverUrl: string): Promise<Buffer> {
  const path = `${isSource ? "../../" : ""}../docs/openapi.json`;
  const text = isSea()
    ? getAsset("openapi.json", "utf8")
    : await readFile(new URL(path, import.meta.url), "utf8");
  if (serverUrl === "" || serverUrl === defaultSandboxUrl) return Buffer.from(text);
  const servers = [{ url: serverUrl, description: "The service that returned this document" }];
  return Buffer.from(`${JSON.stringify({ ...JSON.parse(text), servers }, null, 2)}\n`);
}
