import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createTemporaryHome } from "../temporary.ts";
import { openUntilFileEnds } from "../open-until-file-ends.ts";

export type Certificate = { certificate: string; key: string };

type CertificateOptions = {
  days?: number;
  /** Whether it may issue others. */
  isAuthority?: boolean;
  issuer?: Certificate;
  isWhole?: boolean;
};

/**
 * A certificate for a name, valid for some days from now; a negative number has expired. It is self-signed, unless there
 * is an `issuer`, whose certificate follows it if it `isWhole`.
 */
export function newCertificate(
  name: string,
  { days = 2, isAuthority = false, issuer, isWhole = false }: CertificateOptions = {},
): Certificate {
  const folder = createTemporaryHome();
  const [request, certificate, key] = ["request", "certificate", "key"].map((file) =>
    join(folder, `${file}.pem`),
  ) as [string, string, string];
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key];
  const whom = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`];
  const authority = isAuthority ? ["-addext", "basicConstraints=CA:TRUE"] : [];
  openssl("req", "-new", ...newKey, ...whom, ...authority, "-out", request);
  let signer = ["-signkey", key];
  if (issuer) {
    const [issuerFile, issuerKey] = [join(folder, "issuer.pem"), join(folder, "issuer-key.pem")];
    writeFileSync(issuerFile, issuer.certificate);
    writeFileSync(issuerKey, issuer.key);
    signer = ["-CA", issuerFile, "-CAkey", issuerKey, "-CAcreateserial"];
  }
  const signed = [...signer, "-days", String(days), "-copy_extensions", "copy"];
  openssl("x509", "-req", "-in", request, ...signed, "-out", certificate);
  const chain = isWhole ? (issuer?.certificate ?? "") : "";
  return { certificate: readFileSync(certificate, "utf8") + chain, key: readFileSync(key, "utf8") };
}

function openssl(...args: string[]): void {
  execFileSync("openssl", args, { stdio: "pipe" });
}

/** Starts a server on 127.0.0.1, and returns its port. */
export async function serveOverTls(
  { certificate, key }: Certificate,
  answer: RequestListener,
): Promise<number> {
  const server = createServer({ cert: certificate, key }, answer);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  openUntilFileEnds(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
