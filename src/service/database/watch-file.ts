import { statSync } from "node:fs";
import { movedFileError } from "./sqlite-errors.ts";

/** For how long reads trust that the file is the same: they lose nothing. */
const trustFileMs = 100;

/** Checks that throw once the name of a file belongs to another one, or to none: what is written would be lost. */
export function watchFile(file: string) {
  const opened = identify(file);
  let seenMs = Number.NEGATIVE_INFINITY;
  function assertSame(): void {
    if (file === ":memory:") return;
    const found = identify(file);
    const isLost = found !== opened && found !== unclear && opened !== unclear;
    seenMs = isLost ? Number.NEGATIVE_INFINITY : performance.now();
    if (isLost) throw movedFileError(file);
  }
  return {
    assertSame,
    /** The same, at most once in `trustFileMs`. */
    assertSameForRead: (): void => {
      if (performance.now() - seenMs > trustFileMs) assertSame();
    },
  };
}

/** The operating system does not say which file it is, such as where a folder may not be entered any more. */
const unclear = "unclear";

function identify(file: string): string {
  try {
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
    return stats ? `${stats.dev} ${stats.ino}` : "none";
  } catch {
    return unclear;
  }
}
