import { toReturnUrl } from "../domain/hosted-page.ts";
import { findPage } from "./find-page.ts";
import type { Ports } from "../ports/ports.ts";

/**
 * Where a customer goes from a page: the return URL of its payment, with the payment's status. `page`: to the page
 * itself, which is still to be paid or has no return URL.
 */
export async function returnFromPage(
  ports: Ports,
  token: string,
): Promise<{ address: string } | "page" | "gone"> {
  const page = await findPage(ports, token);
  if (page.state === "gone") return "gone";
  if (page.state === "open" || page.returnUrl === null) return "page";
  return { address: toReturnUrl(page.returnUrl, page.payment) };
}
