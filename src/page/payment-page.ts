export type PageMistakes = { number?: string; expiry?: string; cvc?: string; name?: string };

export type PageView =
  | {
      state: "open";
      amount: number;
      currency: string;
      description: string | null;
      livemode: boolean;
      language: string;
      action: string;
      cancelAction: string;
      mistakes: PageMistakes;
      kept: { expiry: string; name: string };
    }
  | {
      state: "processing" | "paid" | "declined" | "canceled";
      amount: number;
      currency: string;
      description: string | null;
      livemode: boolean;
      language: string;
      reason: string | null;
      returnTo: string | null;
    }
  | { state: "gone" | "refused" | "unavailable" };

export const paymentPageStyle = "body { font-family: system-ui, sans-serif; }";
export const paymentPageScript = "";

/** The page that a customer sees, as a whole HTML document. */
export function paymentPage(view: PageView): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Payment: ${view.state}</title>
<style>${paymentPageStyle}</style>
</head>
<body>
<main data-state="${view.state}">
${contentOf(view)}
</main>
<script>${paymentPageScript}</script>
</body>
</html>
`;
}

function contentOf(view: PageView): string {
  switch (view.state) {
    case "open":
      return `<p>${view.amount} ${view.currency} ${escaped(view.description)}</p>
${Object.values(view.mistakes).map(escaped).join("\n")}
<form method="post" action="${view.action}">
<input name="number"><input name="expiry" value="${escaped(view.kept.expiry)}"><input name="cvc"><input name="name" value="${escaped(view.kept.name)}">
<button>Pay</button>
</form>
<form method="post" action="${view.cancelAction}"><button>Cancel</button></form>`;
    case "processing":
    case "paid":
    case "declined":
    case "canceled":
      return `<p>${view.amount} ${view.currency} ${escaped(view.description)}</p>
<p>${escaped(view.reason)}</p>${view.returnTo ? `<a href="${view.returnTo}">Back</a>` : ""}`;
    case "gone":
    case "refused":
    case "unavailable":
      return "";
    default:
      return view satisfies never;
  }
}

function escaped(text: string | null): string {
  return (text ?? "").replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
