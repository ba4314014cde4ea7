// A Fastify app that only answers with given bytes on the service's routes: the upper bound for any
// service on Fastify. The responses come as JSON on standard input.
import { text } from "node:stream/consumers";
import Fastify from "fastify";

const answers = JSON.parse(await text(process.stdin)) as Record<
  "create" | "retrieve" | "list",
  string
>;
const app = Fastify();
const type = "application/json; charset=utf-8";
app.post("/v1/payments", async (_request, reply) =>
  reply.code(201).header("content-type", type).send(answers.create),
);
app.get("/v1/payments", async (_request, reply) =>
  reply.header("content-type", type).send(answers.list),
);
app.get("/v1/payments/:id", async (_request, reply) =>
  reply.header("content-type", type).send(answers.retrieve),
);
const url = await app.listen({ host: "127.0.0.1", port: 0 });
console.log(JSON.stringify({ url }));
process.once("SIGTERM", () => process.exit(0));
