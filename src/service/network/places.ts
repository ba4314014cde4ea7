/** A limited number of places. Who finds none free waits in line, `waitMs` at the most. */
export function places({ count, waitMs }: { count: number; waitMs: number }) {
  let free = count;
  const line = new Set<() => void>();
  return {
    /** Whether a place was got; who has one must leave it. */
    take: async (): Promise<boolean> => {
      if (free > 0) {
        free--;
        return true;
      }
      return await new Promise((resolve) => {
        const goOn = () => {
          clearTimeout(timer);
          resolve(true);
        };
        const timer = setTimeout(() => {
          line.delete(goOn);
          resolve(false);
        }, waitMs);
        line.add(goOn);
      });
    },
    leave: (): void => {
      const [first] = line;
      if (!first) free++;
      else if (line.delete(first)) first();
    },
  };
}
