import { describeFailure } from "../../client/failure-reason.ts";
import { findProxy } from "../../client/proxy.ts";
import { createHttpTransport, type TransportAnswer } from "../../client/transport.ts";
import { routes } from "../../contract/routes.ts";
import type { Check } from "../../contract/doctor-check.ts";
import { checkCertificate } from "./certificate-check.ts";

export type ServiceResponse = TransportAnswer & { receivedAtMs: number; roundTripMs: number };

/**
 * The result of one request to the service: its certificate where TLS needs one, and a response or the reason why there
 * is none.
 */
export type Contact = {
  certificate?: Check | undefined;
  response?: ServiceResponse;
  failure?: string;
};

const timeoutMs = 5_000;

/**
 * Asks the service for the key's account, once. Without a key the refusal shows that the service is there. A service
 * with a bad certificate is asked for nothing.
 */
export async function contactService(baseUrl: string, key: string | undefined): Promise<Contact> {
  try {
    const url = new URL(baseUrl);
    const isDirect = findProxy(url, process.env) === undefined; // a proxy has its own certificate
    const checked =
      url.protocol === "https:" && isDirect ? await checkCertificate(url, timeoutMs) : {};
    if (checked.failure !== undefined || checked.certificate?.status === "fail") return checked;
    return { ...checked, ...(await ask(baseUrl, key)) };
  } catch (error) {
    return { failure: describeFailure(error as Error) };
  }
}

async function ask(baseUrl: string, key: string | undefined): Promise<Contact> {
  const transport = createHttpTransport(baseUrl);
  const { method, path } = routes.getAccount;
  const headers = { ...(key !== undefined && { authorization: `Bearer ${key}` }) };
  const startMs = performance.now();
  try {
    const answer = await transport.send({ method, path, headers, timeoutMs });
    const roundTripMs = performance.now() - startMs;
    return { response: { ...answer, receivedAtMs: Date.now(), roundTripMs } };
  } finally {
    await transport.close();
  }
}
