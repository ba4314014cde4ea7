import type { Answer } from "../app/open-app.ts";

/** The one-time keys of the forms of a page, in its order. */
export function formKeysIn({ text }: Answer): string[] {
  return [...text.matchAll(/name="key"\s+value="([^"]+)"/g)].map(([, key]) => key ?? "");
}

/** The key of a page's first form. */
export function formKeyIn(answer: Answer): string {
  return formKeysIn(answer)[0] ?? "";
}

/** What a page shows once. */
export function secretIn({ text }: Answer): string | undefined {
  return /<input\s+id="secret"[^>]*\svalue="([^"]+)"/.exec(text)?.[1];
}
