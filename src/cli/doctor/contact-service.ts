import { describeFailure } from "../../client/failure-reason.ts";
import { findProxy } from "../../client/proxy.ts";
import { createHttpTransport, type TransportAnswer } from "../../client/transport.ts";
import { routes } from "../../contract/routes.ts";
import type { Check } from "../../contract/doctor-check.ts";
import { checkCertificate } from "./certificate-check.ts";

export type ServiceResponse = TransportAnswer & { receivedAtMs: number; roundTripMs: number };

/** What was heard of the service: its certificate, where TLS needs one, and a response or why there is none. */
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
  const url = new URL(baseUrl);
  const isDirect = findProxy(url, process.env) === undefined;
  const checked =
    url.protocol === "https:" && isDirect ? await checkCertificate(url, timeoutMs) : {};
  if (checked.failure !== undefined || checked.certificate?.status === "fail") return checked;
  const transport = createHttpTransport(baseUrl);
  const headers: Record<string, string> =
    key === undefined ? {} : { authorization: `Bearer ${key}` };
  const { method, path } = routes.getAccount;
  const startMs = performance.now();
  try {
    const answer = await transport.send({ method, path, headers, timeoutMs });
    const roundTripMs = performance.now() - startMs;
    return { ...checked, response: { ...answer, receivedAtMs: Date.now(), roundTripMs } };
  } catch (error) {
    return { ...checked, failure: describeFailure(error as Error) };
  } finally {
    await transport.close();
  }
}
