/** How many letters have to be put in, left out or replaced to make one word of another (Levenshtein). */
export function countEdits(one: string, other: string): number {
  let counts = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [row, letter] of [...one].entries()) {
    const next = [row + 1];
    for (const [at, expected] of [...other].entries()) {
      const replaced = (counts[at] ?? 0) + (letter === expected ? 0 : 1);
      next.push(Math.min(replaced, (counts[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    counts = next;
  }
  return counts.at(-1) ?? 0;
}
