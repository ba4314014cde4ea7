import { expect, test } from "vitest";
import { html, renderDocument } from "../../../../src/service/web/design/html.ts";
import { type ErrorCode, errorCodes, statusByCode } from "../../../../src/contract/error.ts";
import { renderErrorsPage } from "../../../../src/service/web/design/errors-page.ts";

/** A text in a page. */
function renderText(text: string): string | undefined {
  const page = renderDocument({ title: "", style: "", body: html`<main>${text}</main>` });
  return /<main>([^]*)<\/main>/.exec(page)?.[1];
}

test.each([
  [
    "markup",
    `</p><img src="x" onerror='alert(1)'>&lt;`,
    "&lt;/p&gt;&lt;img src=&quot;x&quot; onerror='alert(1)'&gt;&amp;lt;",
  ],
  ["line breaks and tabs", "one\r\ntwo\tthree\u2028four\u0085five", "one two three four five"],
  ["control characters", "a\0b\u001bc\u007fd\u009be", "a\ufffdb\ufffdc\ufffdd\ufffde"],
  ["overrides and embeddings of direction", "a\u202eb\u202dc\u202a", "a\ufffdb\ufffdc\ufffd"],
  ["isolates of direction", "a\u2066b\u2069c", "a\ufffdb\ufffdc"],
  ["half a character", "a\ud83db", "a\ufffdb"],
])("%s in a text are neutralized", (_, text, expected) => {
  expect(renderText(text)).toBe(expected);
});

test("characters that languages and emoji need are preserved", () => {
  const text = "שלום\u200f 12 می\u200cخواهم 👩\u200d🚀 Straße";
  expect(renderText(text)).toBe(text);
});

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
