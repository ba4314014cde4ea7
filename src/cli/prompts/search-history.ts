import { setTimeout as delay } from "node:timers/promises";
import { ApiError, PaymentsError } from "../../client/errors.ts";
import type { CallOptions } from "../../client/request.ts";
import type { ListPaymentsQuery, PaymentList } from "../../contract/list-payments.ts";
import { formatMoney } from "../../contract/money.ts";
import type { Payment } from "../../contract/payment.ts";
import { foldText, isWord, writeWithoutDots } from "../../contract/search-words.ts";
import { escapeControls } from "../../runtime/text.ts";
import { formatCount } from "../output/style.ts";
import { type SearchText, checkSearchText } from "../flags/checked-values.ts";
import { pageSize } from "./prompter.ts";

export type PaymentSource = {
  pages: (
    query: ListPaymentsQuery,
    total?: number,
    options?: CallOptions,
  ) => AsyncGenerator<PaymentList>;
};

/** How long the user pauses before the service is asked, and after how long a response is late. */
export type SearchTiming = { pauseMs: number; lateMs: number };

export type FoundPayments = {
  /** Newest first. */
  payments: Payment[];
  /** Whether more may be found in a moment. */
  isPartial: boolean;
  /** How far the search has come. */
  note: string | undefined;
};

/** How the search of all payments stands. */
type History =
  | { state: "searching" | "late" | "unknown_parameter" }
  | { state: "searched"; hasMore: boolean }
  | { state: "failed"; reason: string }
  | { state: "not_sent"; why: Exclude<SearchText["kind"], "search"> };

const maxShown = 100;

/**
 * Creates a search of payments: at once among the newest, by any part of their text, and after a pause among
 * all of them, as the API's `search` finds them. Each result replaces the one before it. Errors: those of the newest payments, and a
 * response that nothing can be trusted after; other failures are a note.
 */
export function createPaymentSearch(
  newest: NewestPayments,
  { pages }: PaymentSource,
  { pauseMs, lateMs }: SearchTiming = { pauseMs: 300, lateMs: 3_000 },
) {
  let isUnknown = false;

  /** Reports the payments found so far after each page. */
  async function searchHistory(
    search: string,
    signal: AbortSignal,
    report: (history: History, found: Payment[]) => void,
  ): Promise<void> {
    const found: Payment[] = [];
    const ended = new AbortController();
    try {
      await delay(pauseMs, undefined, { signal });
      const waiting = delay(lateMs, undefined, { signal: AbortSignal.any([signal, ended.signal]) });
      waiting.then(
        () => report({ state: "late" }, found),
        () => {},
      );
      let hasMore = false;
      for await (const page of pages({ search }, maxShown, { signal })) {
        found.push(...page.data);
        hasMore = page.has_more;
        report({ state: "searching" }, found);
      }
      report({ state: "searched", hasMore }, found);
    } catch (error) {
      if (signal.aborted) return;
      const failure = toHistory(error);
      if (!failure) throw error;
      isUnknown ||= failure.state === "unknown_parameter";
      report(failure, found);
    } finally {
      ended.abort();
    }
  }

  return async function* find(typed: string, signal: AbortSignal): AsyncGenerator<FoundPayments> {
    const text = checkSearchText(typed);
    let matches = await newest.find(typed, 0);
    let history: History = { state: "searching" };
    if (text.kind !== "search") history = { state: "not_sent", why: text.kind };
    else if (isUnknown) history = { state: "unknown_parameter" };
    let older: Payment[] = [];
    let isLoading = true;
    let isChanged = true;
    let changed = Promise.withResolvers<void>();
    const update = () => {
      isChanged = true;
      changed.resolve();
      changed = Promise.withResolvers();
    };
    const loadNewest = async () => {
      matches = await newest.find(typed, pageSize, signal);
      isLoading = false;
      update();
    };
    const searching =
      text.kind === "search" && !isUnknown
        ? searchHistory(text.search, signal, (now, found) => {
            history = now;
            older = found;
            update();
          })
        : undefined;
    let isOver = false;
    const all = Promise.all([loadNewest(), searching]).then(() => (isOver = true));
    all.catch(() => {}); // nobody waits any longer once the user has typed on
    while (!signal.aborted) {
      if (isChanged) {
        isChanged = false;
        const payments = mergePayments(matches.payments, older);
        yield {
          payments: payments.slice(0, maxShown),
          isPartial: isLoading || history.state === "searching",
          note: describeProgress({ ...matches, payments }, history, isLoading),
        };
      } else if (isOver) return;
      else await Promise.race([changed.promise, all]);
    }
  };
}

/** Reads a failure after which the newest payments can still be searched. */
function toHistory(error: unknown): History | undefined {
  if (!(error instanceof PaymentsError)) return undefined;
  if (error instanceof ApiError && error.code === "parameter_unknown") {
    return { state: "unknown_parameter" };
  }
  const isRefused = error instanceof ApiError && error.status === 400;
  return isRefused || error.retryable
    ? { state: "failed", reason: escapeControls(error.message) }
    : undefined;
}

/** Both lists without doubles, newest first. Ids are in the order of creation. */
function mergePayments(newest: Payment[], older: Payment[]): Payment[] {
  const known = new Set(newest.map(({ id }) => id));
  const added = older.filter(({ id }) => !known.has(id));
  if (added.length === 0) return newest;
  return [...newest, ...added].toSorted(
    (one, other) => other.created - one.created || (one.id < other.id ? 1 : -1),
  );
}

function describeProgress(
  { payments, searched, hasOlder }: Matches,
  history: History,
  isLoading: boolean,
): string | undefined {
  const { length: count } = payments;
  const newest = `Searched the newest ${formatCount(searched)}`;
  const tooMany = `Only the newest ${maxShown} of them are shown.`;
  const matching = count === 0 ? "Nothing matches." : count > maxShown ? tooMany : undefined;
  switch (history.state) {
    case "searching":
      return "Searching all payments …";
    case "late":
      return `${newest}; the search of all payments takes long …`;
    case "searched":
      if (history.hasMore || count > maxShown) return tooMany;
      return `${count === 0 ? "Nothing matches. " : ""}The whole history has been searched, for whole words and beginnings of names.`;
    case "failed":
      return `${newest}; older ones cannot be searched now: ${history.reason}`;
    case "unknown_parameter":
      if (isLoading) return "Searching the newest payments …";
      if (!hasOlder) return matching;
      return `${newest}. This service cannot search older ones, but finds one by its whole id.`;
    case "not_sent":
      if (history.why === "card_number")
        return "Card numbers are not sent: type the last four digits.";
      if (history.why === "blank") return matching;
      if (isLoading) return "Searching the newest payments …";
      return hasOlder ? `${newest}. Older ones cannot be searched for this text.` : matching;
    default:
      return history satisfies never;
  }
}

const maxLoaded = 1_000;

type Matches = {
  /** Newest first. */
  payments: Payment[];
  /** The number of payments searched so far. */
  searched: number;
  hasOlder: boolean;
};

type NewestPayments = ReturnType<typeof createNewestPayments>;

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
