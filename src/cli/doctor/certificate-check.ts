import { isIP } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { describeFailure } from "../../client/failure-reason.ts";
import { isLocalName, resolveLocalName } from "../../runtime/loopback.ts";
import { reportFailure, reportOk, reportWarning, type Check } from "../../contract/doctor-check.ts";
import { formatDuration } from "../../runtime/duration.ts";

const dayMs = 24 * 60 * 60 * 1000;
/** Authorities that renew by themselves do so a month before. */
const warnBeforeMs = 14 * dayMs;

const renew = "certbot renew";

type Connected = { certificate?: Check; failure?: string };

/** Connects as a request would, but so that a bad certificate can be described; nothing is sent. */
export async function checkCertificate(url: URL, timeoutMs: number): Promise<Connected> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const socket = connect({
    host,
    port: Number(url.port || 443),
    ...(isIP(host) === 0 && { servername: host }),
    ...(isLocalName(host) && { lookup: resolveLocalName }),
    rejectUnauthorized: false, // its certificate is judged below, and nothing is sent
  });
  try {
    const failure = await connected(socket, timeoutMs);
    return failure === undefined ? { certificate: judge(socket, url) } : { failure };
  } finally {
    socket.destroy();
  }
}

/** Resolves with the reason where no connection came about. */
async function connected(socket: TLSSocket, timeoutMs: number): Promise<string | undefined> {
  return await new Promise((resolve) => {
    socket.setTimeout(timeoutMs, () => resolve(`no answer within ${timeoutMs / 1000} s`));
    socket.once("secureConnect", () => resolve(undefined));
    socket.on("error", (error) => resolve(describeFailure(error)));
  });
}

function judge(socket: TLSSocket, { host }: URL): Check {
  const { valid_to: end } = socket.getPeerCertificate();
  const leftMs = Date.parse(end) - Date.now();
  const until = new Date(end).toISOString().slice(0, 10);
  if (leftMs <= 0)
    return reportFailure(
      "certificate",
      `The certificate of ${host} has expired, on ${until}.`,
      renew,
    );
  if (!socket.authorized) {
    const reason = socket.authorizationError as Error | string;
    const why = typeof reason === "string" ? reason : reason.message;
    return reportFailure(
      "certificate",
      `The certificate of ${host} is not trusted: ${why}.`,
      "export NODE_EXTRA_CA_CERTS=FILE",
    );
  }
  const detail = `The certificate of ${host} is valid until ${until}, for ${formatDuration(leftMs)}.`;
  return leftMs < warnBeforeMs
    ? reportWarning("certificate", detail, renew)
    : reportOk("certificate", detail);
}
