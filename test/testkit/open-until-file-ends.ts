const open: (() => unknown)[] = [];

/**
 * Calls `close` after all tests of the file. Concurrent tests may use it, and so may modules: a module is
 * evaluated once a worker, so its own `afterAll` would run only after the worker's first file.
 */
export function openUntilFileEnds(close: () => unknown): void {
  open.push(close);
}

export async function closeAll(): Promise<void> {
  await Promise.all(open.splice(0).map(async (close) => close()));
}
