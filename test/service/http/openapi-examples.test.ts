import { afterAll, expect, test } from "vitest";
import { signWebhook } from "../../../src/runtime/sign-webhook.ts";
import type { Event } from "../../../src/contract/event.ts";
import type { WebhookEndpoint } from "../../../src/contract/webhook-endpoint.ts";
import { routes } from "../../../src/contract/routes.ts";
import {
  type RouteName,
  blur,
  exampleHeaders,
  examplesOf,
  given,
  grants,
  openShop,
  queries,
  responseExamples,
} from "../../testkit/app/documented-shop.ts";
import { openApp } from "../../testkit/app/open-app.ts";
import {
  findMismatch,
  findOperation,
  findSchemaMistake,
  resolvedDocument,
  type Schema,
} from "../../testkit/app/openapi-document.ts";

// Each example of the API's description is sent, and each response compared with the described one.

const { call, service, close } = await openApp({
  sender: {
    send: async () => ({ outcome: "delivered", status: 200, error: null, answer: "ok" }),
  },
});
afterAll(close);

const all = Object.keys(routes) as RouteName[];

test.each(responseExamples)(
  "%s: the example %s is answered as it is described",
  async (name, example) => {
    const shop = await openShop(service, call, grants[example]);
    await given[name]?.(shop);
    const headers = exampleHeaders(name);
    const query = queries[name] ?? "";
    const body = examplesOf(name, "requestBody")[example]?.value;
    const answer = await shop.send(name, body, { query, headers });
    expect([answer.status, findMismatch(routes[name], answer)]).toEqual([
      routes[name].status,
      undefined,
    ]);
    expect(blur(JSON.parse(answer.text))).toEqual(
      blur(examplesOf(name, "response")[example]?.value),
    );
  },
);

const queried = all.filter((name) =>
  findOperation(routes[name]).parameters.some((each) => each.in === "query"),
);
test.each(queried)("%s: the example of each query parameter is accepted", async (name) => {
  const shop = await openShop(service, call);
  await given[name]?.(shop);
  for (const parameter of findOperation(routes[name]).parameters) {
    if (parameter.in !== "query") continue;
    const { example } = parameter;
    const values =
      typeof example === "object" && example !== null
        ? Object.entries(example).map(([key, value]) => [
            `${parameter.name}[${key}]`,
            String(value),
          ])
        : [[parameter.name, String(example)]];
    const isNeeded = name === "listAllDeliveries" && !["payment", "event"].includes(parameter.name);
    const needed = isNeeded ? [["payment", "pay_1"]] : [];
    const query = `?${new URLSearchParams([...needed, ...values] as [string, string][]).toString()}`;
    const answer = await shop.send(name, undefined, { query });
    expect([query, answer.status, findMismatch(routes[name], answer)]).toEqual([
      query,
      routes[name].status,
      undefined,
    ]);
  }
});

test("every example is valid by its schema", () => {
  const found: string[] = [];
  const check = (at: string, schema: Schema, value: unknown) => {
    const mistake = findSchemaMistake(schema, value);
    if (mistake !== undefined) found.push(`${at}: ${mistake}`);
  };
  const operations = [resolvedDocument.paths, resolvedDocument.webhooks].flatMap((items) =>
    Object.values(items).flatMap((item) => Object.values(item)),
  );
  for (const { operationId, parameters, requestBody, responses } of operations) {
    for (const { name, schema, example } of parameters)
      check(`${operationId} ${name}`, schema, example);
    for (const part of [requestBody, ...Object.values(responses)]) {
      const { schema, examples = {} } = part?.content?.["application/json"] ?? {};
      for (const [name, { value }] of Object.entries(examples))
        check(`${operationId} ${name}`, schema ?? {}, value);
    }
  }
  expect(found).toEqual([]);
});

test("the headers of a webhook are those that sign its example with the example's secret", () => {
  const { parameters, requestBody } = resolvedDocument.webhooks["payment.succeeded"]?.post ?? {};
  const event = requestBody?.content["application/json"].examples?.["event"]?.value as Event;
  const endpoint = examplesOf("createEndpoint", "response")["endpoint"]?.value as WebhookEndpoint;
  const {
    "content-type": _,
    "user-agent": __,
    ...signed
  } = signWebhook({
    eventId: event.id,
    body: JSON.stringify(event),
    secrets: [endpoint.secret ?? ""],
    nowMs: event.created * 1000,
    version: "1.2.3",
  });
  expect(
    Object.fromEntries((parameters ?? []).map(({ name, example }) => [name, example])),
  ).toEqual(signed);
});
