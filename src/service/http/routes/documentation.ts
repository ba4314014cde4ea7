import { createHash } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { renderErrorsPage, errorsPageStyle } from "../../web/design/errors-page.ts";
import { statusByCode } from "../../../contract/error.ts";
import { sendJson } from "../answer-reply.ts";

/** Documents that need no key: the API's description, with the address of this service, and the meaning of each error. */
export function registerDocumentationRoutes(
  app: FastifyInstance,
  findServerUrl: () => string,
): void {
  let description: Promise<Buffer> | undefined;
  app.get("/openapi.json", async (_request, reply) => {
    description ??= loadOpenApi(findServerUrl());
    return sendJson(reply, 200, await description);
  });

  const styleHash = createHash("sha256").update(errorsPageStyle).digest("base64");
  app.get("/docs/errors", async (_request, reply) =>
    reply
      .header("content-type", "text/html; charset=utf-8")
      .header(
        "content-security-policy",
        `default-src 'none'; style-src 'sha256-${styleHash}'; frame-ancestors 'none'; base-uri 'none'`,
      )
      .header("x-content-type-options", "nosniff")
      .send(renderErrorsPage(statusByCode)),
  );
}

/** Loaded when it is first asked for: no command needs it. The responses share its bytes. */
async function loadOpenApi(serverUrl: string): Promise<Buffer> {
  const { renderOpenApi } = await import("../openapi/create-openapi.ts");
  return Buffer.from(renderOpenApi(serverUrl || undefined));
}
