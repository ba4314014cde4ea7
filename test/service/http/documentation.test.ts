import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { errorCodes } from "../../../src/contract/error.ts";
import { startService, type RunningService } from "../../../src/service/server/start-service.ts";
import { rawAnswer } from "../../testkit/sockets/raw-connection.ts";
import { errorIn } from "../../testkit/app/refusal-of.ts";

let running: RunningService;
beforeAll(async () => {
  running = await startService();
});
afterAll(async () => running.close());

describe("an error's doc_url", () => {
  test.each([
    ["of a key that is missing", ["GET /v1/payments HTTP/1.1", "Host: evil.test"]],
    ["of an unknown path", ["GET /nothing HTTP/1.1", "Host: evil.test:99"]],
    ["of a whole address", ["GET http://evil.test/nothing HTTP/1.1", "Host: evil.test"]],
    ["of no valid HTTP", ["garbage"]],
    ["of headers that are too large", ["GET / HTTP/1.1", `Host: ${"x".repeat(17_000)}`]],
    ["of no Host header", ["GET /v1/payments HTTP/1.1"]],
  ])("%s works, and leads to the error's description", async (_, lines) => {
    const error = errorIn(await rawAnswer(running.url, lines));
    expect(error.doc_url).toBe(`${running.url}/docs/errors#${error.code}`);
    const page = await fetch(error.doc_url);
    expect(page.status).toBe(200);
    const text = await page.text();
    expect(text.split(`id="${error.code}"`)).toHaveLength(2);
  });

  test.each(["https://pay.example.com", "https://pay.example.com/", "https://example.com/pay/"])(
    "is under the public address %s, if one is set",
    async (publicUrl) => {
      const proxied = await startService({ publicUrl });
      const answer = await fetch(`${proxied.url}/v1/payments`);
      const { doc_url } = errorIn({ text: await answer.text() });
      expect(doc_url).toBe(`${publicUrl.replace(/\/$/, "")}/docs/errors#invalid_api_key`);
      await proxied.close();
    },
  );
});

describe("the page of errors", () => {
  test("needs no key, and describes every code", async () => {
    const page = await fetch(`${running.url}/docs/errors`);
    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const text = await page.text();
    for (const code of Object.keys(errorCodes)) expect(text).toContain(`<section id="${code}">`);
  });

  test("allows the browser to load only its own style", async () => {
    const page = await fetch(`${running.url}/docs/errors`);
    const text = await page.text();
    const style = /<style>([^<]*)<\/style>/.exec(text)?.[1] ?? "";
    const hash = createHash("sha256").update(style).digest("base64");
    expect(page.headers.get("content-security-policy")?.split("; ")).toEqual([
      "default-src 'none'",
      `style-src 'sha256-${hash}'`,
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ]);
    expect(page.headers.get("x-content-type-options")).toBe("nosniff");
    expect(text).not.toMatch(/<script|<link|<img|\sstyle=|\son\w+=|javascript:/i);
  });
});
