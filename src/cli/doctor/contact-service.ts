import { isIP } from "node:net";
import { type PeerCertificate, type TLSSocket, connect } from "node:tls";
import { type Check, reportFailure, reportOk, reportWarning } from "../../contract/doctor.ts";
import {
  type TransportAnswer,
  createHttpTransport,
  describeFailure,
  findProxy,
  isRuledOut,
} from "../../runtime/http-transport.ts";
import { tryParseJson } from "../../runtime/text.ts";
import { formatDuration } from "../../runtime/time.ts";
import { isLocalName, resolveLocalName } from "../../runtime/transport-safety.ts";

export type ServiceResponse = TransportAnswer & { receivedAtMs: number; roundTripMs: number };

/**
 * The result of one request to the service: its certificate where TLS needs one, and a response or the reason why there
 * is none.
 */
export type Contact = {
  certificate?: Check | undefined;
  response?: ServiceResponse;
  failure?: string;
  /** The text of a payments service where it has nothing of the API, such as on its port of probes. */
  noApi?: string;
};

const timeoutMs = 5_000;

/**
 * Asks the service for the key's account, once. Without a key the refusal shows that the service is there. A service
 * with a bad certificate is asked for nothing.
 */
export async function contactService(baseUrl: string, key: string | undefined): Promise<Contact> {
  try {
    const url = new URL(baseUrl);
    const proxy = findProxy(url, process.env);
    const isDirect = !proxy || isRuledOut(url, proxy); // a proxy has its own certificate
    const checked = url.protocol === "https:" && isDirect ? await checkCertificate(url) : {};
    if (checked.failure !== undefined || checked.certificate?.status === "fail") return checked;
    return { ...checked, ...(await ask(baseUrl, key)) };
  } catch (error) {
    return { failure: describeFailure(error) };
  }
}

async function ask(baseUrl: string, key: string | undefined): Promise<Contact> {
  const transport = createHttpTransport(baseUrl);
  const headers = { ...(key !== undefined && { authorization: `Bearer ${key}` }) };
  const send = async (path: string) => transport.send({ method: "GET", path, headers, timeoutMs });
  const startMs = performance.now();
  try {
    const answer = await send("/v1/account");
    const roundTripMs = performance.now() - startMs;
    const response = { ...answer, receivedAtMs: Date.now(), roundTripMs };
    if (findMissingPath(answer) === undefined) return { response };
    // An older service lacks that path alone; this one has been there from the first.
    const noApi = findMissingPath(await send("/v1/payments?limit=1"));
    return { response, ...(noApi !== undefined && { noApi }) };
  } finally {
    await transport.close();
  }
}

/** The text of the payments service about a path that it does not have; undefined for any other answer. */
function findMissingPath({ status, body }: TransportAnswer): string | undefined {
  type Body = { error?: { code?: unknown; message?: unknown } };
  const { error } = Object(tryParseJson(body)) as Body;
  const isMissing = status === 404 && error?.code === "endpoint_not_found";
  return isMissing ? String(error.message) : undefined;
}

const dayMs = 24 * 60 * 60 * 1000;
/** Authorities that renew by themselves do so a month before. */
const warnBeforeMs = 14 * dayMs;

const renew = "certbot renew";

type Connected = { certificate?: Check; failure?: string };

/** Connects as a request would, but so that a bad certificate can be described; nothing is sent. */
async function checkCertificate(url: URL): Promise<Connected> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const socket = connect({
    host,
    port: Number(url.port || 443),
    ...(isIP(host) === 0 && { servername: host }),
    ...(isLocalName(host) && { lookup: resolveLocalName }),
    rejectUnauthorized: false, // its certificate is judged below, and nothing is sent
  });
  try {
    const failure = await connected(socket);
    return failure === undefined ? { certificate: judge(socket, url) } : { failure };
  } finally {
    socket.destroy();
  }
}

/** Resolves with the reason where no connection came about. */
async function connected(socket: TLSSocket): Promise<string | undefined> {
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
