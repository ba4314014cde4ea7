/**
 * The class of a text that is read as one thing, such as an amount, and so stands in one line (`design.unbroken`).
 * Its length says how small it must be to fit into a narrow page.
 */
export function unbrokenClass({ length }: string): string {
  const [, size] = sizes.find(([most]) => length <= most) ?? longest;
  return `unbroken${size}`;
}

const sizes = [
  [12, ""],
  [16, " middling"],
  [22, " long"],
  [27, " longer"],
] as const;
const longest = [Infinity, " longest"] as const;
