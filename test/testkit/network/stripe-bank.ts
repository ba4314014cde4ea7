import type { StripeAccount } from "./stripe-account.ts";

// The page on which a bank asks the customer, at the stand-in for Stripe.

export type Page = { status: number; headers: Record<string, string>; body: string };
type Decision = "approve" | "decline";

export const bankPath = "/bank/";

/** Answers a browser: `decision` is the form's, null where the browser opens the page. */
export function answerAtBank(
  account: StripeAccount,
  intentId: string,
  decision: string | null,
): Page {
  const headers = { "content-type": "text/html; charset=utf-8" };
  if (account.intents.get(intentId)?.status !== "requires_action") {
    return { status: 410, headers, body: "<p>The bank asks nothing about this payment.</p>" };
  }
  const back =
    decision === null ? undefined : account.decideAtBank(intentId, decision === "approve");
  return back
    ? { status: 303, headers: { location: back.href }, body: "" }
    : { status: 200, headers, body: form };
}

/** Sends the customer's decision to a bank's page; returns the address that the browser is sent back to. */
export async function decideAtBank(url: string, decision: Decision): Promise<URL> {
  const body = new URLSearchParams({ decision });
  const answer = await fetch(url, { method: "POST", body, redirect: "manual" });
  const location = answer.headers.get("location");
  if (location === null) throw new Error(`The bank answered HTTP ${answer.status}.`);
  return new URL(location);
}

const form = `<!doctype html>
<html lang="en">
<title>Bank</title>
<h1>Do you approve this payment?</h1>
<form method="post">
<button name="decision" value="approve">Approve</button>
<button name="decision" value="decline">Decline</button>
</form>
</html>`;
