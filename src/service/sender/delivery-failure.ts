import { describeFailure } from "../../client/failure-reason.ts";

const maxLength = 200;

/** For errors whose own messages are meant for programmers, or contain text from the endpoint. */
const sentences: [codeOrName: RegExp, sentence: string][] = [
  [/^ECONNREFUSED$/, "the connection was refused"],
  [/^(?:EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, "the endpoint's address cannot be reached"],
  [/^(?:ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, "the connection was not made in time"],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, "the connection was closed before the answer"],
  [/^(?:ENOTFOUND|ENODATA|EAI_\w+|ESERVFAIL|ETIMEOUT)$/, "the endpoint's name cannot be found"],
  [/^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/, "the port does not speak TLS"],
  [/^CERT_HAS_EXPIRED$/, "the certificate has expired"],
  [/SELF_SIGNED_CERT|^UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)/, "the certificate is not trusted"],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, "the certificate is for another name"],
  [/^UND_ERR_HEADERS_OVERFLOW$/, "the headers of the answer are too large"],
  [/^(?:HTTPParserError|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/, "the answer is not HTTP"],
  [/^UND_ERR_(?:DESTROYED|CLOSED)$/, "the service ended before the answer"],
];

/** The reason why no response came, in a short sentence for the merchant. */
export function describeDeliveryFailure(error: Error): string {
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  const [, sentence] = sentences.find(([codeOrName]) => codeOrName.test(code)) ?? [];
  return sentence ?? describeFailure(error).slice(0, maxLength);
}
