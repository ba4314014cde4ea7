import { monitorEventLoopDelay } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";

const delayResolutionMs = 10;

/**
 * Samples the mean delay of the event loop and the heap in use. Nothing here may open a file, as
 * `process.memoryUsage` does: a timer's error ends the process, and there may be no descriptor left.
 */
export function createLoadSampler() {
  const delays = monitorEventLoopDelay({ resolution: delayResolutionMs });
  const sampled = { eventLoopDelayMs: 0, heapUsedBytes: 0 };
  let sampling: NodeJS.Timeout | undefined;
  function sample(): void {
    // Without a single measurement the loop stood still for all of the interval.
    const meanMs = Number.isNaN(delays.mean) ? Infinity : delays.mean / 1e6;
    sampled.eventLoopDelayMs = Math.max(0, meanMs - delayResolutionMs);
    sampled.heapUsedBytes = getHeapStatistics().used_heap_size;
    delays.reset();
  }
  return {
    current: () => sampled,
    start: (everyMs: number) => {
      delays.enable();
      sampling = setInterval(sample, everyMs).unref();
    },
    stop: () => {
      clearInterval(sampling);
      delays.disable();
    },
  };
}

/** V8's own limit includes the room for new objects, which those that stay cannot use. */
export function computeHeapLimitBytes(): number {
  const newSpaceBytes = 192 * 1024 * 1024;
  const { heap_size_limit: limit } = getHeapStatistics();
  return Math.max(limit - newSpaceBytes, limit / 4);
}
