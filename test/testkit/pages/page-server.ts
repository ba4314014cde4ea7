import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { toPageHeaders } from "../../../src/service/web/design/pages.ts";
import type { PageView } from "../../../src/service/web/checkout/page-view.ts";
import {
  localTimeScript,
  renderPaymentPage,
  paymentPageScript,
  paymentPageStyle,
  waitingPageScript,
} from "../../../src/service/web/checkout/payment-page.ts";

type Post = { path: string; fields: Record<string, string> };

/** A server of the checkout page with its policy: it sends a view and records each post. */
export async function servePage() {
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
