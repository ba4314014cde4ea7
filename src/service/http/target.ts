/**
 * A request's target in its usual form, a path and a query. A client may also send a whole address
 * (RFC 9112, section 3.2.2), which means the same.
 */
export function originForm(target: string): string {
  const rest = target.replace(/^https?:\/\/[^/?#]*/i, "");
  return rest === target || rest.startsWith("/") ? rest : `/${rest}`;
}

/** The path of a target as the router reads it: without query or fragment, percent-encoding undone. */
export function pathOf(target: string): string {
  const path = target.split(/[?#]/, 1)[0] ?? "";
  try {
    return decodeURI(path);
  } catch {
    return path; // the router refuses it
  }
}
