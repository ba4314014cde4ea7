import { type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type Browser, type BrowserContextOptions, type Page, chromium } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest";
import type { CardMistakes } from "../../../src/service/checkout/typed-card.ts";
import type {
  ChallengeView,
  OpenView,
  OutcomeView,
  PageView,
} from "../../../src/service/web/checkout/page-view.ts";
import {
  localTimeScript,
  paymentPageScript,
  paymentPageStyle,
  renderPaymentPage,
  waitingPageScript,
} from "../../../src/service/web/checkout/payment-page.ts";
import { toPageHeaders } from "../../../src/service/web/design/pages.ts";

/**
 * A connection to the browser, and a server, for the tests of a file. A test fails if its page logs an error of the
 * script, or a violation of the policy.
 */
export function shownPages() {
  let browser: Browser;
  let server: Awaited<ReturnType<typeof servePage>>;
  let plain: Page | undefined;
  const errors: string[] = [];
  beforeAll(async () => {
    browser = await chromium.connect(inject("browser"));
    server = await servePage();
  });
  afterAll(async () => {
    await browser.close();
    server.close();
  });
  afterEach(async () => {
    const others = browser.contexts().filter((context) => context !== plain?.context());
    await Promise.all(others.map(async (context) => context.close()));
    expect(errors.splice(0)).toEqual([]);
  });

  async function newPage(options: BrowserContextOptions = {}): Promise<Page> {
    const page = await browser.newPage({ reducedMotion: "reduce", ...options });
    page.setDefaultTimeout(120_000);
    page.on("console", (message) => errors.push(message.text()));
    page.on("pageerror", (error) => errors.push(String(error)));
    return page;
  }

  return {
    server: () => server,
    /** Opens a view in the window that all tests of the file share, or in a new one if there are options. */
    open: async (view: PageView, options?: BrowserContextOptions): Promise<Page> => {
      const page = options ? await newPage(options) : (plain ??= await newPage());
      server.show(view);
      await page.goto(server.url);
      return page;
    },
  };
}

type Post = { path: string; fields: Record<string, string> };

/** A server of the checkout page with its policy: it sends a view and records each post. */
async function servePage() {
  let currentView: PageView = { state: "gone", language: "en" };
  const posts: Post[] = [];
  let answersPosts = true;
  const server = createServer((request, response) => {
    void (async () => {
      if (request.method === "POST") {
        const fields = Object.fromEntries(new URLSearchParams(await text(request)));
        posts.push({ path: request.url ?? "", fields });
        if (answersPosts) send(response, { state: "gone", language: "en" });
        else response.writeHead(204).end();
      } else send(response, currentView);
    })();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/pay/token`,
    /** The posts since the view was last changed. Each is answered with the state `gone`. */
    posts,
    show: (view: PageView) => {
      currentView = view;
      posts.length = 0;
      answersPosts = true;
    },
    /** Answers posts with 204, so that the page stays in its waiting state. */
    answerNothing: () => {
      answersPosts = false;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const headers = {
  ...toPageHeaders({
    styles: [paymentPageStyle],
    scripts: [paymentPageScript, waitingPageScript, localTimeScript],
    sendsRequests: true,
    referrer: "no-referrer",
  })(""),
  "content-type": "text/html; charset=utf-8",
};

function send(response: ServerResponse, view: PageView): void {
  response.writeHead(200, headers).end(renderPaymentPage(view));
}

/** A payment that waits for its card, by default in live mode. */
export function openView(changes: Partial<OpenView> = {}): OpenView {
  return {
    state: "open",
    reference: "pay_0192d3c4-7b1a-7f00-8000-3f2a1b4c5d6e",
    merchant: null,
    amount: 4999,
    currency: "eur",
    description: "Order 1042: two tickets, Saturday",
    livemode: true,
    language: "en",
    action: "/pay/token",
    cancelAction: "/pay/token/cancel",
    nowMs: Date.UTC(2026, 10, 22),
    mistakes: {},
    isBankBusy: false,
    prefill: { expiry: "", name: "" },
    ...changes,
  };
}

/** A payment that is no longer open, by default in live mode. */
export function outcomeView(
  state: OutcomeView["state"],
  changes: Partial<OutcomeView> = {},
): OutcomeView {
  return {
    state,
    reference: "pay_0192d3c4-7b1a-7f00-8000-3f2a1b4c5d6e",
    merchant: null,
    amount: 4999,
    currency: "eur",
    description: "Order 1042: two tickets, Saturday",
    livemode: true,
    language: "en",
    receipt: state === "paid" ? receipt : null,
    declineCode: state === "declined" ? "insufficient_funds" : null,
    wasChargeRequested: state !== "canceled" && state !== "expired",
    bankUrl: isAtBank(state) ? "https://bank.example/confirm?id=1" : null,
    returnTo: isUndecided(state) ? null : "https://shop.example/orders/1042?payment_id=pay_1",
    cancelAction: state === "overdue" || isAtBank(state) ? "/pay/token/cancel" : null,
    ...changes,
  };
}

const receipt = {
  paidAt: Date.UTC(2026, 10, 22, 18, 5) / 1000,
  brand: "visa",
  last4: "4242",
};

function isUndecided(state: OutcomeView["state"]): boolean {
  return state === "processing" || state === "overdue" || isAtBank(state);
}

function isAtBank(state: OutcomeView["state"]): boolean {
  return state === "at_bank" || state === "returned";
}

const challengeView: ChallengeView = {
  state: "challenge",
  merchant: "Books & Co",
  amount: 4999,
  currency: "eur",
  description: "Order 1042: two tickets, Saturday",
  livemode: false,
  language: "en",
  action: "/pay/token/challenge",
};

const mistakes: CardMistakes = {
  number: "number_wrong",
  expiry: "expiry_month",
  cvc: "cvc_back",
};

/** The page in every state that a customer may see. */
export const everyView: Record<string, PageView> = {
  open: openView(),
  "open for a merchant": openView({ merchant: "Books & Co" }),
  "open in test mode": openView({ livemode: false, merchant: "Books & Co" }),
  "open with mistakes": openView({
    mistakes,
    prefill: { expiry: "13 / 30", name: "Ada Lovelace" },
  }),
  "open while the bank is busy": openView({
    isBankBusy: true,
    prefill: { expiry: "12 / 30", name: "Ada" },
  }),
  processing: outcomeView("processing"),
  "at the bank": outcomeView("at_bank", { merchant: "Books & Co" }),
  "back from the bank": outcomeView("returned"),
  challenge: challengeView,
  overdue: outcomeView("overdue"),
  paid: outcomeView("paid"),
  "paid to a merchant": outcomeView("paid", { merchant: "Books & Co" }),
  "paid in test mode": outcomeView("paid", { livemode: false, returnTo: null }),
  declined: outcomeView("declined"),
  "declined for a merchant": outcomeView("declined", { merchant: "Books & Co" }),
  canceled: outcomeView("canceled"),
  "canceled by the merchant": outcomeView("canceled", {
    declineCode: "canceled",
  }),
  "canceled after a charge was requested": outcomeView("canceled", { wasChargeRequested: true }),
  expired: outcomeView("expired", { merchant: "Books & Co" }),
  "expired without a return URL": outcomeView("expired", { returnTo: null }),
  gone: { state: "gone", language: "en" },
  refused: { state: "refused", language: "en" },
  unavailable: { state: "unavailable", language: "en" },
};
