/**
 * A request's target as a path and a query. A client may also send a whole address, which means the same (RFC
 * 9112, section 3.2.2).
 */
export function toOriginForm(target: string): string {
  if (target.startsWith("/")) return target; // as nearly all do
  const rest = target.replace(/^https?:\/\/[^/?#]*/i, "");
  return rest === target || rest.startsWith("/") ? rest : `/${rest}`;
}

/** The path of a target as the router reads it: without query or fragment, percent-encoding undone. */
export function parsePath(target: string): string {
  const end = target.search(/[?#]/);
  const path = end === -1 ? target : target.slice(0, end);
  if (!path.includes("%")) return path;
  try {
    return decodeURI(path);
  } catch {
    return path; // the router refuses it
  }
}

/** A path as a browser sees it: behind a proxy the service may stand below another path. */
export function maskPath(publicUrl: string, path: string): string {
  const prefix = URL.canParse(publicUrl) ? new URL(publicUrl).pathname : "/";
  return `${prefix.replace(/\/$/, "")}${path}`;
}
