import type { PaymentList } from "../../contract/list-object.ts";
import type { Payment } from "../../contract/payment.ts";
import { formatMoney } from "../../contract/money.ts";
import { escapeControls } from "../output/safe-text.ts";

export const maxSearched = 1_000;

export type Matches = {
  payments: Payment[];
  /** How many have been looked through, and whether there are older ones. */
  searched: number;
  older: boolean;
};

/** Payments that are searched by what somebody types, and loaded only as the search needs them. */
export function createPaymentSearch(pages: AsyncIterator<PaymentList>) {
  const loaded: { payment: Payment; text: string }[] = [];
  let older = true;
  let loading: Promise<void> | undefined;

  async function loadPage(): Promise<void> {
    const { value, done } = await pages.next();
    if (done) older = false;
    else {
      loaded.push(...value.data.map((payment) => ({ payment, text: textOf(payment) })));
      older = value.has_more;
    }
  }

  /** A page that somebody waits for already is not loaded twice. */
  async function loadMore(): Promise<void> {
    loading ??= loadPage().finally(() => (loading = undefined));
    await loading;
  }

  return {
    /** Those that hold every word, newest first: `enough` of them, where there are so many. */
    matching: async (typed: string, enough: number, signal?: AbortSignal): Promise<Matches> => {
      const words = comparable(typed).split(/\s+/);
      for (;;) {
        const payments = loaded
          .filter(({ text }) => words.every((word) => text.includes(word)))
          .map(({ payment }) => payment);
        const goesOn = older && loaded.length < maxSearched && payments.length < enough;
        if (!goesOn || signal?.aborted) return { payments, searched: loaded.length, older };
        await loadMore();
      }
    },
  };
}

/** What of a payment is searched: its id, e-mail, name, description and amount. */
function textOf({ id, customer, description, amount, currency }: Payment): string {
  const { email, name } = customer;
  const parts = [id, email, name, description ?? "", formatMoney(amount, currency), String(amount)];
  return comparable(escapeControls(parts.join("  ")));
}

function comparable(text: string): string {
  return text.normalize("NFKC").toLowerCase().trim();
}
