/**
 * Does the same work several times, some of them at once. After a failure nothing more is begun: the result has what
 * was made, and the first error.
 */
export async function repeatAtOnce<Made>(
  work: () => Promise<Made>,
  { times, maxAtOnce }: { times: number; maxAtOnce: number },
): Promise<{ made: Made[]; error?: unknown }> {
  const made: Made[] = [];
  const errors: unknown[] = [];
  let begun = 0;
  const repeat = async () => {
    while (begun < times && errors.length === 0) {
      begun++;
      await work().then(
        (result) => made.push(result),
        (error: unknown) => errors.push(error),
      );
    }
  };
  await Promise.all(Array.from({ length: Math.min(times, maxAtOnce) }, repeat));
  return errors.length > 0 ? { made, error: errors[0] } : { made };
}
