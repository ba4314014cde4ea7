/**
 * Why a connection failed, in words. The error of one that was tried at several addresses has no message of its own,
 * and that of TLS names a line of its source code.
 */
export function describeFailure(error: unknown): string {
  if (!Error.isError(error)) return String(error); // of a transport that the caller made
  if ("library" in error && "reason" in error && typeof error.reason === "string") {
    const code = "code" in error ? String(error.code) : "";
    const reason = plainResponseCodes.has(code)
      ? "does this port speak TLS? try http://"
      : error.reason;
    return `the TLS connection failed (${reason})`;
  }
  const [first] =
    "errors" in error && Array.isArray(error.errors) ? (error.errors as unknown[]) : [];
  const message = error.message || (Error.isError(first) ? first.message : error.name);
  return message.replace(nodeAdvice, "; NODE_EXTRA_CA_CERTS names a file of authorities to trust");
}

/** Node's advice about an untrusted certificate is for the person who starts Node. */
const nodeAdvice = /; if the root CA is installed locally, try running Node\.js with .+$/;

/** The codes of TLS for a response in another protocol, such as that of an HTTP port. */
const plainResponseCodes = new Set([
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "ERR_SSL_PACKET_LENGTH_TOO_LONG",
]);
