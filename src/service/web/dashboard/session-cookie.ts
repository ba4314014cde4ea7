import type { FastifyReply, FastifyRequest } from "fastify";
import { maxSessionMs } from "../../domain/operator-rights.ts";

/** The service decides when a session is over. */
const maxAgeSeconds = maxSessionMs / 1000;

export type SessionCookie = ReturnType<typeof createSessionCookie>;

/**
 * The cookie that holds a session's secret. Under https the browser accepts it only from this host, over an
 * encrypted connection (`__Host-`). Plain http is used on one machine only.
 */
export function createSessionCookie(publicUrl: () => string) {
  const isSecure = () => publicUrl().startsWith("https:");
  const name = () => (isSecure() ? "__Host-payments_session" : "payments_session");
  const write = (reply: FastifyReply, value: string, seconds: number) =>
    reply.header(
      "set-cookie",
      `${name()}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure() ? "; Secure" : ""}`,
    );
  return {
    read: ({ headers }: FastifyRequest): string | undefined => {
      const start = `${name()}=`;
      const cookies = (headers.cookie ?? "").split(";").map((cookie) => cookie.trim());
      return cookies.find((cookie) => cookie.startsWith(start))?.slice(start.length);
    },
    set: (reply: FastifyReply, secret: string) => write(reply, secret, maxAgeSeconds),
    clear: (reply: FastifyReply) => write(reply, "", 0),
  };
}
