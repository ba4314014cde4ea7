import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const everyPages = 50;

/**
 * Keeps a run over many pages near the memory of a short one; call what it gives after each page. By
 * itself V8 lets the room for new objects grow to 32 MiB, compiles with optimizers that need as much
 * again, and collects the buffers of answers late, since they lie outside its heap. It costs a
 * quarter of the time of such a run, which waits for the service and the reader anyway.
 */
export function steadyMemory(): () => void {
  setFlagsFromString("--semi-space-growth-factor=1 --no-opt --no-maglev");
  let collect: (() => void) | undefined;
  let pages = 0;
  return () => {
    if (++pages % everyPages !== 0) return;
    setFlagsFromString("--expose-gc");
    collect ??= runInNewContext("gc") as () => void;
    collect();
  };
}
