// The constants of logged requests, without zod: a command that needs only these does not load it.

export const requestIdPattern = /^req_[a-zA-Z0-9-]+$/;

/** The statuses with which the API answers: those of success, and those of the error codes. */
export const answeredStatuses = [
  200, 201, 400, 401, 404, 405, 408, 409, 413, 415, 422, 429, 431, 500, 503,
] as const;
export type AnsweredStatus = (typeof answeredStatuses)[number];

/** Methods with which a request may be logged: those of the API, and others that were refused. */
export const requestMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

/** Names up to ten statuses, exact ones or classes: `404`, `4xx`, `4xx,5xx`. */
export const statusFilterPattern = /^[2-5](?:\d\d|xx)(?:,[2-5](?:\d\d|xx)){0,9}$/;
export const maxStatusFilterLength = 39;

/** Whether a text names statuses. */
export function isStatusFilter(text: string): boolean {
  return statusFilterPattern.test(text);
}

/** The statuses that a filter names, in order. */
export function parseStatusFilter(text: string): number[] {
  const statuses = text.split(",").flatMap((name) => {
    if (!name.endsWith("xx")) return [Number(name)];
    return answeredStatuses.filter((status) => String(status).startsWith(name.slice(0, 1)));
  });
  return [...new Set(statuses)].toSorted((a, b) => a - b);
}
