import type { FastifyReply, FastifyRequest } from "fastify";
import { renderPage, type View } from "./views/frame.ts";

/** Sends a page, in the frame of the account and mode that it was asked for in, if it was in any. */
export function sendView(reply: FastifyReply, view: View, status = 200): FastifyReply {
  const { visit } = reply.request as { visit?: FastifyRequest["visit"] };
  return reply
    .code(status)
    .header("content-type", "text/html; charset=utf-8")
    .send(renderPage(view, visit));
}
