import { isIP } from "node:net";
import { connect, type PeerCertificate, type TLSSocket } from "node:tls";
import { describeFailure } from "../../runtime/dispatch.ts";
import { isLocalName, resolveLocalName } from "../../runtime/transport-safety.ts";
import { reportFailure, reportOk, reportWarning, type Check } from "../../contract/doctor.ts";
import { formatDuration } from "../../runtime/time.ts";

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

function judge(socket: TLSSocket, { host, hostname }: URL): Check {
  const { valid_to: end } = socket.getPeerCertificate();
  const leftMs = Date.parse(end) - Date.now();
  const until = toDay(end);
  if (leftMs <= 0)
    return reportFailure(
      "certificate",
      `The certificate of ${host} has expired, on ${until}.`,
      renew,
    );
  if (!socket.authorized) {
    const { why, help } = explainDistrust(socket, hostname);
    return reportFailure("certificate", `The certificate of ${host} is not trusted: ${why}.`, help);
  }
  const detail = `The certificate of ${host} is valid until ${until}, for ${formatDuration(leftMs)}.`;
  return leftMs < warnBeforeMs
    ? reportWarning("certificate", detail, renew)
    : reportOk("certificate", detail);
}

const trust = "export NODE_EXTRA_CA_CERTS=FILE";

/** Why this machine does not trust a certificate, by the code of OpenSSL's or Node's check. */
function explainDistrust(socket: TLSSocket, hostname: string): { why: string; help: string } {
  const reason = socket.authorizationError as NodeJS.ErrnoException | string;
  const code = typeof reason === "string" ? reason : (reason.code ?? reason.message);
  const certificate = socket.getPeerCertificate();
  switch (code) {
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
      return {
        why: "it is self-signed, and not among the authorities of this machine. If it is the right one, name its file",
        help: trust,
      };
    case "SELF_SIGNED_CERT_IN_CHAIN":
      return {
        why: "its issuer is a private authority that this machine does not know. If it is the right one, name the file of the issuer",
        help: trust,
      };
    case "UNABLE_TO_GET_ISSUER_CERT":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
      return {
        why: "this machine does not know who issued it, or the server leaves out the certificates between. Name the issuer's file, or complete the chain on the server",
        help: trust,
      };
    case "CERT_NOT_YET_VALID":
      return {
        why: `it is valid only from ${toDay(certificate.valid_from)}, by this machine's clock`,
        help: "timedatectl set-ntp true",
      };
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return {
        why: `it is not for ${hostname}, but for ${describeNames(certificate)}`,
        help: "payments login --base-url URL",
      };
    default:
      return { why: `the check of OpenSSL says ${code}`, help: trust };
  }
}

function describeNames({ subjectaltname, subject }: PeerCertificate): string {
  const names = (subjectaltname ?? "").split(", ").map((name) => name.replace(/^[^:]*:/, ""));
  return names.filter((name) => name !== "").join(", ") || [subject?.CN].flat().join(", ");
}

function toDay(date: string): string {
  return new Date(date).toISOString().slice(0, 10);
}
