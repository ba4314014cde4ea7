import { renderNothing, renderOutcome } from "./outcome.ts";
import type { PageView } from "./page-view.ts";
import { renderPaymentForm } from "./payment-form.ts";
import { paymentPageScript } from "./payment-page-script.ts";
import { paymentPageStyle } from "./payment-page-style.ts";
import { waitingPageScript } from "./waiting-page-script.ts";

export type { OpenView, PageMistakes, PageView, Receipt } from "./page-view.ts";
export { paymentPageScript, paymentPageStyle, waitingPageScript };

/** How often a waiting page loads itself again where no script asks: an overdue one leaves time to read it. */
const secondsToReload = { processing: 1, overdue: 10 };

/**
 * The hosted payment page: a whole HTML document that needs no other file and works without its
 * script. It never holds a card number or a security code.
 */
export function renderPaymentPage(view: PageView): string {
  switch (view.state) {
    case "open":
      return htmlDocument(renderPaymentForm(view), { script: paymentPageScript });
    case "processing":
    case "overdue":
      return htmlDocument(renderOutcome(view), {
        script: waitingPageScript,
        reloadSeconds: secondsToReload[view.state],
      });
    case "paid":
    case "declined":
    case "canceled":
    case "expired":
      return htmlDocument(renderOutcome(view));
    case "gone":
    case "refused":
    case "unavailable":
      return htmlDocument(renderNothing(view));
    default:
      return view satisfies never;
  }
}

function htmlDocument(
  { title, body }: { title: string; body: string },
  { script, reloadSeconds }: { script?: string; reloadSeconds?: number } = {},
): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
${reloadSeconds ? `<noscript><meta http-equiv="refresh" content="${reloadSeconds}"></noscript>\n` : ""}<style>${paymentPageStyle}</style>
</head>
<body>
${body}
${script ? `<script>${script}</script>\n` : ""}</body>
</html>
`;
}
