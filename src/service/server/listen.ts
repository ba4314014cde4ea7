import type { Server } from "node:http";
import { isIPv6, type AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import type { createApp } from "../http/app.ts";
import { countAndTell, type Log } from "../http/log.ts";
import { ConfigError, Unavailable } from "../../runtime/failures.ts";
import { createStopper } from "./stop-listening.ts";

/** Where to listen, and the option that chooses the port. */
type Place = { host: string; port: number; option: "--port" | "--metrics-port" };

type Options = {
  /** How many connections are open at the same time; those beyond are closed at once. */
  maxConnections: number;
  /** How long what is in flight may take when the app stops, 10 s by default. */
  finishMs?: number | undefined;
  log?: Log | undefined;
};

export type Listening = {
  /** An address that a browser on this machine can open. */
  url: string;
  /** Whether other machines reach it at every address of this one. */
  allInterfaces: boolean;
  /** Takes no more connections, and finishes what is in flight. */
  stop: () => Promise<void>;
};

/** Lets an app listen. Errors: ConfigError, where no host is named, which Node takes for all of them; Unavailable. */
export async function listen(
  app: ReturnType<typeof createApp>,
  place: Place,
  { maxConnections, finishMs, log }: Options,
): Promise<Listening> {
  limitConnections(app.server, maxConnections, log);
  const stop = createStopper(app.server, finishMs);
  try {
    if (place.host.trim() === "")
      throw new ConfigError("The host to listen on is empty.", hostHint);
    await app.listen({ host: place.host, port: place.port, backlog });
    const bound = app.server.address() as AddressInfo;
    return {
      url: urlOf(bound),
      allInterfaces: wildcards.has(bound.address),
      stop: async () => stop(async () => app.close()),
    };
  } catch (error) {
    await app.close();
    if (error instanceof ConfigError) throw error;
    throw new Unavailable(cannotListen(place, error as NodeJS.ErrnoException), { cause: error });
  }
}

/** How many connections wait in the system's queue at most; Node's default is 511, and Linux caps it at 4,096. */
const backlog = 4_096;
const warnEveryMs = 60_000;

function limitConnections(server: Server, maxConnections: number, log?: Log): void {
  server.maxConnections = maxConnections;
  const warn = countAndTell(warnEveryMs, (closed) =>
    log?.warn({ closed, max_connections: maxConnections }, "too many connections: closed new ones"),
  );
  server.on("drop", warn);
}

const hostHint = "Name an address of this machine; 0.0.0.0 or :: stands for all of its interfaces.";

/** What a socket is bound to that listens on every address, of IPv4 or of both. */
const wildcards = new Set(["0.0.0.0", "::", "::ffff:0.0.0.0"]);

function urlOf({ address, port }: AddressInfo): string {
  const host = wildcards.has(address) ? loopbackFor(address) : address;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** Where IPv6 is switched off on the loopback interface, `::` still listens on that of IPv4. */
function loopbackFor(wildcard: string): string {
  const own = Object.values(networkInterfaces()).flat();
  const hasIPv6 = own.some((address) => address?.address === "::1");
  return wildcard === "::" && hasIPv6 ? "::1" : "127.0.0.1";
}

function cannotListen({ host, port, option }: Place, error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case "EADDRINUSE":
      return `Port ${port} of ${host} is in use. Choose another one with ${option}, or ${option} 0 for any.`;
    case "EACCES":
      return `This user may not listen on port ${port}. Choose one from 1024 on with ${option}.`;
    default:
      // A name that is none may be anything that was typed: it is not repeated.
      return error.syscall === "getaddrinfo"
        ? "The host to listen on is not known. Choose an address of this machine with --host."
        : `The service cannot listen on ${host}, port ${port}: ${error.message}.`;
  }
}
