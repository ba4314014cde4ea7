import { expect, test } from "vitest";
import { html, renderDocument } from "../../../../src/service/web/design/html.ts";

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
