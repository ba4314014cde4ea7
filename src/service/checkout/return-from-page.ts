import { toReturnUrl } from "../domain/hosted-page.ts";
import { findPage } from "./find-page.ts";
import type { Ports } from "../ports/ports.ts";

/**
 * The address that a customer returns to from a page: the payment's return URL, with its status. `page`: back to the
 * page itself, which is still open or has no return URL.
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
