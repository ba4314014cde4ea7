import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { Unavailable } from "../../runtime/failures.ts";
import { computeHeapLimitBytes } from "../http/shed-load.ts";

/** Fewer are not enough for the process, its database and a few clients. */
const minOpenFiles = 64;
/** For the process and SQLite (30), PostgreSQL (10), probes (32), webhooks and the card network (128). */
const reservedFiles = 256;
const maxProbes = 32;
/** Memory of a connection that sends nothing, or half a request: 11 KiB were measured. */
const connectionBytes = 16 * 1024;

/**
 * The maximum numbers of connections on the service's port (`clients`) and on a port for metrics and probes. The
 * limit of open files, less those of the database, the log and outgoing requests, bounds them, and so does half
 * of the heap's size. Error: Unavailable, if the limit is too low for a service.
 */
export function computeConnectionLimits(openFiles = readOpenFilesLimit()) {
  if (openFiles < minOpenFiles) {
    throw new Unavailable(
      `The service needs at least ${minOpenFiles} open files, and this process may have ${openFiles}.`,
      { hint: "Raise the limit: ulimit -n 65536, or LimitNOFILE=65536 in a systemd unit." },
    );
  }
  const byFiles = Math.max(openFiles - reservedFiles, Math.floor(openFiles / 4));
  const byMemory = Math.floor(computeHeapLimitBytes() / 2 / connectionBytes);
  return {
    clients: Math.min(byFiles, byMemory),
    probes: Math.min(maxProbes, Math.floor(openFiles / 8)),
  };
}

type ResourceReport = { userLimits?: { open_files?: { soft: number | "unlimited" } } };

function readOpenFilesLimit(): number {
  const report = process.report as typeof process.report & { excludeNetwork: boolean };
  const { excludeNetwork } = report;
  report.excludeNetwork = true; // else it looks up the name of every peer
  const { userLimits } = report.getReport() as ResourceReport;
  report.excludeNetwork = excludeNetwork;
  const soft = userLimits?.open_files?.soft;
  return typeof soft === "number" ? soft : Infinity;
}

/** Of each half; V8 uses a part of 16 MiB itself. */
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

/** The half that V8 fills; each version counts the size of both in another way. */
function measureNewSpaceBytes(): number {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  return space ? space.space_used_size + space.space_available_size : 0;
}
