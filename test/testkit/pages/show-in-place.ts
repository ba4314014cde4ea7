import type { Frame, Page } from "playwright-core";

/**
 * Shows a document in place of the one in the window, whose style it has too, and runs a script, such as the site's,
 * on it. The window stays, with what a test has added to it: to load axe into a new one takes longer than to run it.
 */
export async function showInPlace(
  window: Frame | Page,
  document: string,
  script = "",
): Promise<void> {
  await window.evaluate(`((text) => {
    const shown = new DOMParser().parseFromString(text, "text/html");
    document.documentElement.removeAttribute("style");
    document.documentElement.lang = shown.documentElement.lang;
    document.title = shown.title;
    document.body.replaceWith(document.adoptNode(shown.body));
    ${script}
  })(${JSON.stringify(document)})`);
}
