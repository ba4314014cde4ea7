import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { getAsset, isSea } from "node:sea";
import type { FastifyInstance } from "fastify";
import { defaultSandboxUrl } from "../../../contract/sandbox-values.ts";
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
    description ??= readDescription(findServerUrl());
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

const isSource = import.meta.url.endsWith(".ts");

/**
 * The description as the build made it from the contract, with the address of this service in it. Read when it is first
 * asked for, and the responses share its bytes.
 */
async function readDescription(serverUrl: string): Promise<Buffer> {
  const path = `${isSource ? "../../../" : ""}../docs/openapi.json`;
  const text = isSea()
    ? getAsset("openapi.json", "utf8")
    : await readFile(new URL(path, import.meta.url), "utf8");
  if (serverUrl === "" || serverUrl === defaultSandboxUrl) return Buffer.from(text);
  const servers = [{ url: serverUrl, description: "The service that returned this document" }];
  return Buffer.from(`${JSON.stringify({ ...JSON.parse(text), servers }, null, 2)}\n`);
}
