import { describeFailure } from "../../runtime/dispatch.ts";
import {
  type TransportAnswer,
  createHttpTransport,
  findProxy,
  isRuledOut,
} from "../../runtime/http-transport.ts";
import type { Check } from "../../contract/doctor.ts";
import { tryParseJson } from "../../runtime/json.ts";
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
    const checked =
      url.protocol === "https:" && isDirect ? await checkCertificate(url, timeoutMs) : {};
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
