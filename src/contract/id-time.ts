/** The time of creation that an id with a UUIDv7 holds, in Unix seconds. */
export function parseCreated(id: string): number {
  return Math.floor(parseCreatedMs(id) / 1000);
}

/** The same in milliseconds. */
export function parseCreatedMs(id: string): number {
  const uuid = id.slice(id.indexOf("_") + 1);
  return Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);
}
