// A shop of one file: customers pay on the service's payment page, and a webhook says that they have paid.
// It sells one book, and keeps its orders in memory; yours keeps them in a database. README.md beside it
// says how to start it.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { PaymentsClient, verifyWebhook, WebhookVerificationError } from "payments-cli/client";

const { PAYMENTS_API_KEY, PAYMENTS_WEBHOOK_SECRET, SHOP_URL, PORT = "3000" } = process.env;
if (!PAYMENTS_API_KEY || !PAYMENTS_WEBHOOK_SECRET) {
  console.error("Set PAYMENTS_API_KEY and PAYMENTS_WEBHOOK_SECRET: see examples/README.md.");
  process.exit(2);
}
const client = new PaymentsClient({
  baseUrl: process.env.PAYMENTS_BASE_URL ?? "http://127.0.0.1:8402",
  apiKey: PAYMENTS_API_KEY,
});

const book = { name: "A book", amount: 4999, currency: "eur" }; // the price is the server's, never the form's
/** The orders by their id: the payment, the highest sequence of its events that was seen, and its status. */
const orders = new Map();

const routes = {
  "GET /": async () => {
    // The id is made with the form, so that the same form sent twice is the same order.
    const form = `<form method="post" action="/orders/${randomUUID()}"><button>Buy for 49.99 €</button></form>`;
    return page(book.name, form);
  },

  "POST /orders/:id": async (request, id) => {
    request.resume();
    const order = orders.get(id) ?? { sequence: 0, status: "pending" };
    orders.set(id, order);
    // The order's id is the idempotency key: a second click, a retry or a restart gets the same payment.
    const payment = await client.payments.createHosted(
      {
        amount: book.amount,
        currency: book.currency,
        description: book.name,
        metadata: { order: id },
        return_url: `${SHOP_URL ?? ownUrl()}/orders/${id}`,
      },
      { idempotencyKey: `order-${id}` },
    );
    return { status: 303, headers: { location: payment.redirect_url } };
  },

  "GET /orders/:id": async (_request, id) => {
    const order = orders.get(id);
    if (order === undefined) return page("There is no such order.", "", 404);
    // Anybody can write an address, so the status comes from the webhook alone.
    return page(`Your order is ${describe(order.status)}.`, '<a href="/">Back to the shop</a>');
  },

  "POST /hooks": async (request) => {
    // The signature is checked on the bytes as they came.
    const event = verifyWebhook(await buffer(request), request.headers, PAYMENTS_WEBHOOK_SECRET);
    if (!event.type.startsWith("payment.")) return { status: 204 }; // a test, or a type of later
    const payment = event.data.object;
    const id = payment.metadata.order;
    // An event may come before the answer to the request that made its payment.
    const order = orders.get(id) ?? { sequence: 0, status: "pending" };
    if (id === undefined || event.sequence <= order.sequence) return { status: 204 }; // not ours, or known
    orders.set(id, { sequence: event.sequence, status: payment.status });
    console.log(`order ${id} is ${describe(payment.status)}`); // ship it here, once
    return { status: 204 };
  },
};

const server = createServer(async (request, response) => {
  const answer = await respond(request).catch((error) => {
    if (error instanceof WebhookVerificationError) return { status: 400, body: error.message };
    console.error(error);
    return page("Something went wrong. Please try again: you pay at most once.", "", 500);
  });
  response.writeHead(answer.status, answer.headers).end(answer.body);
});
server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(ownUrl());
});

function ownUrl() {
  return `http://127.0.0.1:${server.address().port}`;
}

async function respond(request) {
  const { pathname } = new URL(request.url, "http://shop");
  const [, id = ""] = /^\/orders\/([\w-]{1,64})$/.exec(pathname) ?? [];
  const route = routes[`${request.method} ${id === "" ? pathname : "/orders/:id"}`];
  return route === undefined ? page("There is no such page.", "", 404) : route(request, id);
}

function describe(status) {
  const words = { succeeded: "paid", failed: "not paid", refunded: "refunded" };
  return words[status] ?? "waiting for its payment";
}

function page(title, body, status = 200) {
  const html = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">
<title>${title}</title><h1>${title}</h1>${body}</html>`;
  return { status, headers: { "content-type": "text/html; charset=utf-8" }, body: html };
}
