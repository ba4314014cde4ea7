/** Adds parameters to a database's URL; `options` is appended to the present value. */
export function addParameters(url: string, parameters: Record<string, string>): string {
  const address = new URL(url);
  for (const [name, value] of Object.entries(parameters)) {
    const before = name === "options" ? `${address.searchParams.get(name) ?? ""} ` : "";
    address.searchParams.set(name, before + value);
  }
  return address.href;
}
