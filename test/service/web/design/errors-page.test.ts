import { expect, test } from "vitest";
import { errorCodes, type ErrorCode } from "../../../../src/contract/error.ts";
import { statusByCode } from "../../../../src/service/http/error-reply.ts";
import { renderErrorsPage } from "../../../../src/service/web/design/errors-page.ts";

const page = renderErrorsPage(statusByCode);
const sections = new Map(
  page
    .split("<section id=")
    .slice(1)
    .map((section) => [/^"([a-z_]+)"/.exec(section)?.[1], section]),
);

test("every code has one section, with its status, its type and a remedy", () => {
  expect([...sections.keys()]).toEqual(Object.keys(errorCodes));
  for (const [code, { type }] of Object.entries(errorCodes)) {
    const section = sections.get(code);
    expect(section).toContain(`HTTP ${statusByCode[code as ErrorCode]}, <code>${type}</code>`);
    expect(section).toContain("<strong>What to do:</strong> ");
  }
});

test("text between backticks is shown as code, with escaped angle brackets", () => {
  expect(sections.get("invalid_api_key")).toContain(
    "<code>Authorization: Bearer &lt;key&gt;</code>",
  );
  expect(page).not.toContain("`");
});

test("every tag of the page is closed", () => {
  const open: string[] = [];
  const mismatched: string[] = [];
  for (const [tag, slash, name = ""] of page.matchAll(/<(\/?)([a-z0-9]+)[^>]*>/g)) {
    if (!slash && name !== "meta") open.push(name);
    if (slash && open.pop() !== name) mismatched.push(tag);
  }
  expect([...open, ...mismatched]).toEqual([]);
  expect(page).toMatch(/^<!doctype html>\s*<html lang="en">/);
});
