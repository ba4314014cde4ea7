import { createHash } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import {
  renderPaymentPage,
  paymentPageScript,
  paymentPageStyle,
  waitingPageScript,
  type PageView,
} from "../../../src/service/web/checkout/payment-page.ts";

type Post = { path: string; fields: Record<string, string> };

/** A server of the payment page with the strictest policy: it shows a view and keeps what is posted. */
export async function servePage() {
  let shown: PageView = { state: "gone" };
  const posts: Post[] = [];
  let answersPosts = true;
  const server = createServer((request, response) => {
    void (async () => {
      if (request.method === "POST") {
        const fields = Object.fromEntries(new URLSearchParams(await text(request)));
        posts.push({ path: request.url ?? "", fields });
        if (answersPosts) send(response, { state: "gone" });
        else response.writeHead(204).end();
      } else send(response, shown);
    })();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/pay/token`,
    /** What was posted since the view was last changed. Each post is answered with the state `gone`. */
    posts,
    show: (view: PageView) => {
      shown = view;
      posts.length = 0;
      answersPosts = true;
    },
    /** Answers posts with nothing: the page stays as it is while it waits for an answer. */
    answerNothing: () => {
      answersPosts = false;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${sha256(paymentPageStyle)}'`,
  `script-src 'sha256-${sha256(paymentPageScript)}' 'sha256-${sha256(waitingPageScript)}'`,
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

function send(response: ServerResponse, view: PageView): void {
  response.writeHead(200, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy,
  });
  response.end(renderPaymentPage(view));
}

function sha256(value: string): string {
  return createHash("sha256").update(value).digest("base64");
}
