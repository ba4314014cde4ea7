import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Of each half of the space for new objects: of 16 MiB V8 keeps a part to itself. */
const enoughBytes = 15 * 1024 * 1024;

/**
 * Keeps V8's heap small under load, where nearly all of it is garbage: new objects get 32 MiB (else up to
 * 192 MiB), and older ones are collected once they have grown by half (else by 40 MiB). More makes no request
 * faster. V8 takes space back from a process with little to do, so it may grow again after that. For a process that
 * is a service and nothing else. The returned function restores V8's own settings.
 */
export function keepHeapSmall(): () => void {
  setFlagsFromString("--heap-growing-percent=50");
  let mayGrow = true;
  const observer = new PerformanceObserver(() => {
    const isSmall = measureNewSpaceBytes() < enoughBytes;
    if (isSmall === mayGrow) return;
    mayGrow = isSmall;
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
  });
  observer.observe({ entryTypes: ["gc"] });
  return () => {
    observer.disconnect();
    setFlagsFromString("--heap-growing-percent=0");
    setFlagsFromString("--semi-space-growth-factor=2");
  };
}

/** The half that V8 fills: what is used of it and what is free. `space_size` differs between versions of V8. */
function measureNewSpaceBytes(): number {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  return space ? space.space_used_size + space.space_available_size : 0;
}
