const open: (() => unknown)[] = [];

/**
 * Has something closed when all tests of the file that opened it are over. Tests that run at the same
 * time may call it, and so may a module: it is evaluated once a worker, and so its own `afterAll`
 * would be run after the worker's first file alone.
 */
export function openUntilFileEnds(close: () => unknown): void {
  open.push(close);
}

export async function closeAll(): Promise<void> {
  await Promise.all(open.splice(0).map(async (close) => close()));
}
