// Writes the screenshots that the documentation shows to docs/dashboard and docs/payment-page: npm run screenshots
// Or every page with usual, empty and the longest data, at four widths, light and dark, to a folder of one's own:
// PAYMENTS_FONTS=system npm run screenshots -- --all FOLDER
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { renderPaymentPage } from "../../../src/service/web/checkout/payment-page.ts";
import { languages } from "../../../src/service/web/checkout/words/find-words.ts";
import { listDashboardPages, listOuterPages, modes } from "../../testkit/pages/dashboard-pages.ts";
import { drawPages, type Picture } from "../../testkit/pages/draw-pages.ts";
import { everyView } from "../../testkit/pages/page-views.ts";

const colorSchemes = ["light", "dark"] as const;
/** The pages of which the documentation has no picture. */
const undocumented = new Set(
  "cancel new-webhook recover test delivery operator remove-operator not-found outer-not-found elements".split(
    " ",
  ),
);

function listDocumentedDashboard(): Picture[] {
  const pages = [
    ...modes.flatMap((mode) =>
      listDashboardPages("usual", mode)
        .filter(([name]) => !undocumented.has(name))
        .map(([name, document]) => [`${name}-${mode}`, document] as const),
    ),
    ...listOuterPages("usual").filter(([name]) => !undocumented.has(name)),
  ];
  return pages.flatMap(([name, document]) => drawInLooks(name, document, [360, 1440]));
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

const phone = { width: 360, scale: 1.5 };
const desktop = { width: 1280, scale: 1 };
const documentedStates: [file: string, state: string, size: typeof phone | typeof desktop][] = [
  ["open-phone-light", "open in test mode", phone],
  ["open-phone-dark", "open in test mode", phone],
  ["open-desktop-light", "open in test mode", desktop],
  ["open-desktop-dark", "open in test mode", desktop],
  ["mistakes-phone-light", "open for a merchant", phone],
  ["mistakes-desktop-dark", "open for a merchant", desktop],
  ["paid-desktop-light", "paid to a merchant", desktop],
  ["paid-phone-dark", "paid to a merchant", phone],
  ["declined-phone-light", "declined for a merchant", phone],
  ["expired-phone-light", "expired", phone],
  ["busy-phone-light", "open while the bank is busy", phone],
  ["overdue-phone-dark", "overdue", phone],
];

function listDocumentedCheckout(): Picture[] {
  return documentedStates.map(([file, state, { width, scale }]) => ({
    file,
    document: renderPaymentPage(everyView[state]!),
    width,
    scale,
    colorScheme: file.endsWith("dark") ? "dark" : "light",
    prepare: file.startsWith("mistakes") ? makeMistakes : undefined,
  }));
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
  return [...dashboard, ...checkout, ...translated];
}

const { values } = parseArgs({
  options: { all: { type: "string" }, only: { type: "string", default: "" } },
});
const only = new RegExp(values.only);
if (values.all === undefined) {
  for (const [name, pictures] of [
    ["dashboard", listDocumentedDashboard()],
    ["payment-page", listDocumentedCheckout()],
  ] as const) {
    const folder = fileURLToPath(new URL(`../../../docs/${name}`, import.meta.url));
    await rm(folder, { recursive: true, force: true });
    await drawPages(folder, pictures);
  }
} else {
  await drawPages(
    values.all,
    listAll().filter(({ file }) => only.test(file)),
  );
}
