import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createTemporaryHome } from "../command/temporary-home.ts";
import { openUntilFileEnds } from "../open-until-file-ends.ts";

export type Certificate = { certificate: string; key: string };

/** A self-signed certificate for a name, valid for some days from now; a negative number has expired. */
export function newCertificate(name: string, { days = 2 } = {}): Certificate {
  const folder = createTemporaryHome();
  const [request, certificate, key] = ["request", "certificate", "key"].map((file) =>
    join(folder, `${file}.pem`),
  ) as [string, string, string];
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key];
  const whom = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`];
  openssl("req", "-new", ...newKey, ...whom, "-out", request);
  const signed = ["-signkey", key, "-days", String(days), "-copy_extensions", "copy"];
  openssl("x509", "-req", "-in", request, ...signed, "-out", certificate);
  return { certificate: readFileSync(certificate, "utf8"), key: readFileSync(key, "utf8") };
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
