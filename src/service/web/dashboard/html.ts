import { isolateBidi } from "../design/escape-html.ts";

const made = Symbol("html");

/** HTML that `html` has made: whatever else is put into it is a text, and escaped. */
export type Html = { readonly [made]: string };
type Part = Html | string | number | false | null | undefined | readonly Part[];

/**
 * HTML of a template. What stands in its places is escaped as a text of someone else's, between tags or
 * inside a double-quoted attribute; a list is put in whole, and nothing where there is nothing.
 */
export function html(texts: TemplateStringsArray, ...parts: Part[]): Html {
  return { [made]: String.raw({ raw: texts }, ...parts.map(written)) };
}

/** What this program has written itself, such as a style. */
export function trustHtml(text: string): Html {
  return { [made]: text };
}

export function toText(page: Html): string {
  return page[made];
}

function written(part: Part): string {
  if (part === false || part === null || part === undefined) return "";
  if (typeof part === "string" || typeof part === "number") return isolateBidi(String(part));
  return made in part ? part[made] : part.map(written).join("\n");
}
