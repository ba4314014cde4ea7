import { isNativeError } from "node:util/types";

/**
 * Why a connection failed, in words. One that was tried at several addresses has no message of its own,
 * and that of TLS tells where in its source code it gave up.
 */
export function describeFailure(error: Error): string {
  if ("library" in error && "reason" in error && typeof error.reason === "string") {
    const reason = isPlainAnswer(error) ? "does this port speak TLS? try http://" : error.reason;
    return `the TLS connection failed (${reason})`;
  }
  const [first] =
    "errors" in error && Array.isArray(error.errors) ? (error.errors as unknown[]) : [];
  const message = error.message || (isNativeError(first) ? first.message : error.name);
  return message.replace(
    adviceOfNode,
    "; NODE_EXTRA_CA_CERTS names a file of authorities to trust",
  );
}

/** What Node adds to a certificate that it does not trust is for who starts Node. */
const adviceOfNode = /; if the root CA is installed locally, try running Node\.js with .+$/;

/** What TLS calls an answer that is none of its own, such as that of an HTTP port. */
function isPlainAnswer(error: Error): boolean {
  const code = "code" in error ? error.code : undefined;
  return code === "ERR_SSL_WRONG_VERSION_NUMBER" || code === "ERR_SSL_PACKET_LENGTH_TOO_LONG";
}
