import { expect, test } from "vitest";
import { escapeHtml, isolateBidi } from "../../../../src/service/web/design/escape-html.ts";

test("no text opens a tag, ends an attribute or becomes an entity", () => {
  expect(escapeHtml(`</p><img src="x" onerror='alert(1)'>&lt;`)).toBe(
    "&lt;/p&gt;&lt;img src=&quot;x&quot; onerror='alert(1)'&gt;&amp;lt;",
  );
});

test.each([
  ["line breaks and tabs", "one\r\ntwo\tthree\u2028four\u0085five", "one two three four five"],
  ["control characters", "a\0b\u001bc\u007fd\u009be", "a\ufffdb\ufffdc\ufffdd\ufffde"],
  ["overrides and embeddings of direction", "a\u202eb\u202dc\u202a", "a\ufffdb\ufffdc\ufffd"],
  ["isolates of direction", "a\u2066b\u2069c", "a\ufffdb\ufffdc"],
  ["half a character", "a\ud83db", "a\ufffdb"],
])("%s of a foreign text do no harm", (_, text, shown) => {
  expect(isolateBidi(text)).toBe(shown);
});

test("what languages and emoji need stays", () => {
  const text = "שלום\u200f 12 می\u200cخواهم 👩\u200d🚀 Straße";
  expect(isolateBidi(text)).toBe(text);
});
