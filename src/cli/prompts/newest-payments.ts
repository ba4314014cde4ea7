import type { PaymentList } from "../../contract/list.ts";
import type { Payment } from "../../contract/payment.ts";
import { formatMoney } from "../../contract/field-values.ts";
import { foldText, isWord, writeWithoutDots } from "../../contract/search-words.ts";
import { escapeControls } from "../../runtime/text.ts";

const maxLoaded = 1_000;

export type Matches = {
  /** Newest first. */
  payments: Payment[];
  /** The number of payments searched so far. */
  searched: number;
  hasOlder: boolean;
};

export type NewestPayments = ReturnType<typeof createNewestPayments>;

/** Searches the newest payments by any part of their text; loads pages only when it needs them. */
export function createNewestPayments(pages: AsyncIterator<PaymentList>) {
  const loaded: { payment: Payment; text: string }[] = [];
  let hasOlder = true;
  let loading: Promise<void> | undefined;

  async function loadPage(): Promise<void> {
    const { value, done } = await pages.next();
    if (done) hasOlder = false;
    else {
      loaded.push(...value.data.map((payment) => ({ payment, text: toText(payment) })));
      hasOlder = value.has_more;
    }
  }

  /** Concurrent searches share one request for a page. */
  async function loadMore(): Promise<void> {
    loading ??= loadPage().finally(() => (loading = undefined));
    await loading;
  }

  return {
    /** Finds the payments that contain every word, newest first, and loads pages until there are `enough`. */
    find: async (typed: string, enough: number, signal?: AbortSignal): Promise<Matches> => {
      const words = listTyped(typed);
      for (;;) {
        const payments = loaded
          .filter(({ text }) => words.every((word) => text.includes(word)))
          .map(({ payment }) => payment);
        const needsMore = hasOlder && loaded.length < maxLoaded && payments.length < enough;
        if (!needsMore || signal?.aborted) return { payments, searched: loaded.length, hasOlder };
        await loadMore();
      }
    },
  };
}

function toText({ id, customer, description, amount, currency }: Payment): string {
  const { email, name } = customer;
  const names = new Set([name, writeWithoutDots(name)]);
  const amounts = [formatMoney(amount, currency), String(amount)];
  const parts = [id, email, ...names, description ?? "", ...amounts];
  return foldText(escapeControls(parts.join("  ")));
}

/** The words that have to be found; signs that stand alone are left out, unless there is nothing else. */
function listTyped(typed: string): string[] {
  const all = foldText(typed).trim().split(/\s+/u);
  const words = all.filter(isWord);
  return words.length > 0 ? words : all;
}
