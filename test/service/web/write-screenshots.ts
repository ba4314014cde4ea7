// Draws the two pictures that the documentation shows into docs: npm run screenshots
// Or every page with usual, empty and the longest data, at four widths, light and dark, into build/screenshots:
// PAYMENTS_FONTS=system npm run screenshots -- --all [--only REGEXP]
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { renderPaymentPage } from "../../../src/service/web/checkout/payment-page.ts";
import { languages } from "../../../src/service/web/checkout/words/languages.ts";
import { listDashboardPages, listOuterPages } from "../../testkit/pages/dashboard-pages.ts";
import { drawPages, type Picture } from "../../testkit/pages/draw-pages.ts";
import { everyView } from "../../testkit/pages/shown-page.ts";

const colorSchemes = ["light", "dark"] as const;

/** The two pictures that README.md and docs/guide.md show. */
function listShown(): Picture[] {
  const overview = listDashboardPages("usual", "live").find(([name]) => name === "overview")!;
  return [
    {
      file: "dashboard/overview-live-1440-light",
      document: overview[1],
      width: 1440,
      colorScheme: "light",
    },
    {
      file: "payment-page/open-phone-light",
      document: renderPaymentPage(everyView["open in test mode"]!),
      width: 360,
      scale: 1.5,
      colorScheme: "light",
    },
  ];
}

function drawInLooks(name: string, document: string, widths: readonly number[]): Picture[] {
  return widths.flatMap((width) =>
    colorSchemes.map((colorScheme) => ({
      file: `${name}-${width}-${colorScheme}`,
      document,
      width,
      colorScheme,
    })),
  );
}

async function makeMistakes(page: Page): Promise<void> {
  const typed = { number: "4242424242424241", expiry: "13 / 30", cvc: "12", name: "Ada Lovelace" };
  for (const [name, value] of Object.entries(typed)) await page.fill(`#${name}`, value);
  await page.press("#name", "Enter");
}

const allWidths = [360, 768, 1280, 1920];

/** Every page of the dashboard, and the payment page in every state and every language. */
function listAll(): Picture[] {
  const dashboard = (["usual", "empty", "longest"] as const).flatMap((kind) => {
    const pages = listDashboardPages(kind, kind === "usual" ? "live" : "test");
    return pages
      .concat(listOuterPages(kind))
      .flatMap(([name, document]) => drawInLooks(`dashboard-${kind}/${name}`, document, allWidths));
  });
  const checkout = Object.entries(everyView).flatMap(([state, view]) =>
    drawInLooks(`payment-page/${state.replaceAll(" ", "-")}`, renderPaymentPage(view), allWidths),
  );
  const mistakes = drawInLooks(
    "payment-page/mistakes",
    renderPaymentPage(everyView["open for a merchant"]!),
    allWidths,
  ).map((picture) => Object.assign(picture, { prepare: makeMistakes }));
  const translated = Object.keys(languages)
    .filter((language) => language !== "en")
    .flatMap((language) =>
      Object.entries(everyView).flatMap(([state, view]) =>
        [360, 1280].map((width) => ({
          file: `payment-page-${language}/${state.replaceAll(" ", "-")}-${width}`,
          document: renderPaymentPage({ ...view, language }),
          width,
          colorScheme: "light" as const,
        })),
      ),
    );
  return [...dashboard, ...checkout, ...mistakes, ...translated];
}

const { values } = parseArgs({
  options: { all: { type: "boolean" }, only: { type: "string", default: "" } },
});
const only = new RegExp(values.only);
const pictures = values.all ? listAll() : listShown();
const folder = new URL(`../../../${values.all ? "build/screenshots" : "docs"}`, import.meta.url);
await drawPages(
  fileURLToPath(folder),
  pictures.filter(({ file }) => only.test(file)),
);
