import { isIP, type LookupFunction } from "node:net";
import { buildConnector } from "undici";

type Guard = {
  /** Finds all addresses of a name. */
  lookUp: (hostname: string) => Promise<string[]>;
  isForbidden: (address: string) => boolean;
  timeoutMs: number;
  /** A certificate authority instead of those that Node trusts. */
  ca: string | undefined;
};

/**
 * Opens the connections of webhooks. Addresses are checked where they are used, because a name's addresses may
 * change between a check and the connection: the address in the URL, those that the connection itself looks up,
 * and, before a byte is sent, the one that it is connected to.
 */
export function createGuardedConnector({
  lookUp,
  isForbidden,
  timeoutMs,
  ca,
}: Guard): buildConnector.connector {
  async function lookUpAllowed(hostname: string) {
    const addresses = await lookUp(hostname);
    if (addresses.some(isForbidden)) throw createForbiddenNameError();
    return addresses.map((address) => ({ address, family: isIP(address) }));
  }
  const lookup: LookupFunction = (hostname, _options, found) => {
    lookUpAllowed(hostname).then(
      (addresses) => found(null, addresses),
      (error: Error) => found(error, []),
    );
  };
  const limits = { timeout: timeoutMs, allowH2: false };
  const open = buildConnector({ ...limits, lookup, autoSelectFamily: true }); // looks up all addresses
  const encrypt = buildConnector({ ...limits, ca, rejectUnauthorized: true });

  return (target, done) => {
    const { hostname, protocol } = target;
    if (isIP(hostname) && isForbidden(hostname)) {
      queueMicrotask(() => done(createForbiddenError(`${hostname} is`), null));
      return;
    }
    const port = target.port || (protocol === "https:" ? "443" : "80");
    open({ hostname, port, protocol: "http:" }, (error, socket) => {
      if (error) done(error, null);
      else if (isForbidden(socket.remoteAddress ?? "")) {
        socket.destroy();
        done(createForbiddenNameError(), null);
      } else if (protocol === "https:") encrypt({ ...target, httpSocket: socket }, done);
      else done(null, socket);
    });
  };
}

/** The message leaves the address out: a merchant must not learn the addresses of names inside this network. */
function createForbiddenNameError(): Error {
  return createForbiddenError("the endpoint's name leads to");
}

function createForbiddenError(what: string): Error {
  return new Error(`${what} a private address, which webhooks may not reach`);
}
