const markup = Symbol("html");

/** Markup that `html` has made. Every other value in a template is text, and escaped. */
export type Html = { readonly [markup]: string };
type Part = Html | string | number | false | null | undefined | readonly Part[];

/**
 * The markup of a template. Its values are escaped, between tags or inside a double-quoted attribute; a list is put
 * in item by item, and nothing for `false`, `null` and `undefined`.
 */
export function html(texts: TemplateStringsArray, ...parts: Part[]): Html {
  let raw = unindented.get(texts);
  if (!raw) unindented.set(texts, (raw = texts.map((text) => text.replaceAll(/\s*\n\s*/g, "\n"))));
  let text = raw[0] ?? "";
  for (let index = 0; index < parts.length; index++)
    text += toMarkup(parts[index]) + raw[index + 1];
  return { [markup]: text };
}

/** Templates without the indentation of their source, which would be a sixth of a page. */
const unindented = new WeakMap<TemplateStringsArray, string[]>();

/** Markup from this program's own text, such as a style: never from a value. */
export function trustHtml(text: string): Html {
  return { [markup]: text };
}

function toMarkup(part: Part): string {
  if (part === false || part === null || part === undefined) return "";
  if (typeof part === "string" || typeof part === "number") return escapeText(String(part));
  return markup in part ? part[markup] : part.map(toMarkup).join("\n");
}

/** A text that needs no escaping, as most do. */
const plain = /^[ !#-%'-;=?-~]*$/;

/**
 * Line breaks become spaces, and control characters and those that turn the direction of writing become a visible
 * mark, so that a merchant's or customer's text says nothing about the amount or the button beside it. The element
 * around it isolates it.
 */
function escapeText(text: string): string {
  if (plain.test(text)) return text;
  return text
    .replaceAll(/[\t-\r\u0085\u2028\u2029]+/g, " ")
    .replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069\ufeff]/gu, "\ufffd")
    .toWellFormed()
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/**
 * The markup of a text in which `{name}` stands for a value. A text that has no value for a name keeps the name, so
 * that nothing is lost unseen.
 */
export function fillText(text: string, values: Record<string, Html | string | false>): Html {
  const parts = text.split(/\{(\w+)\}/);
  const filled = parts.map((part, index) =>
    toMarkup(index % 2 === 0 ? part : (values[part] ?? part)),
  );
  return { [markup]: filled.join("") };
}

type Document = {
  title: string;
  /** Of its words: a BCP 47 tag. */
  language?: string;
  head?: Html;
  /** Inline, as the script: they stand in the document byte for byte, as the policy hashes them. */
  style?: string;
  body: Html;
  script?: string;
};

/** A whole HTML document. */
export function renderDocument(document: Document): string {
  const { title, language = "en", head, style, body, script } = document;
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        ${head}
        <title>${title}</title>
        ${style !== undefined && trustHtml(`<style>${style}</style>`)}
      </head>
      <body>
        ${body} ${script !== undefined && trustHtml(`<script>${script}</script>`)}
      </body>
    </html> `[markup];
}

/** For the head of pages that no search engine lists, in the browser's light or dark. */
export const privatePage = html`<meta name="color-scheme" content="light dark" />
  <meta name="robots" content="noindex" />`;

/**
 * The attributes of a field's control. They tie the elements beside it, a hint and a mistake in the order they are
 * read, to it for a screen reader. The page opens at the first mistake.
 */
export function renderFieldAttributes(
  name: string,
  beside: readonly ("hint" | "mistake")[],
  { isWrong, isFocused }: { isWrong: boolean; isFocused: boolean },
): Html {
  const ids = beside.map((part) => `${name}-${part}`).join(" ");
  return html`id="${name}" name="${name}" ${ids && html` aria-describedby="${ids}"`}
  ${isWrong && html` aria-invalid="true"`} ${isFocused && html` autofocus`}`;
}

/**
 * The class of a text that is read as one thing, such as an amount, and stays on one line. Its length decides how small
 * it becomes on a narrow page.
 */
export function chooseLineClass({ length }: string): string {
  const [, size] = sizes.find(([maxLength]) => length <= maxLength) ?? sizes.at(-1)!;
  return `one-line${size}`;
}

const sizes: [maxLength: number, size: string][] = [
  [12, ""],
  [16, " middling"],
  [22, " long"],
  [27, " longer"],
  [Infinity, " longest"],
];
