import { Client, Pool, type ClientConfig, type PoolClient } from "pg";
import type { PoolUse } from "./driver.ts";
import { unreachableError } from "./postgres-errors.ts";
import { createPoolOptions } from "./postgres-options.ts";

export type Servers = {
  /** Error: Unavailable. */
  connect: () => Promise<PoolClient>;
  /** Whether the last commit was not replicated to a standby; true once for each such commit. */
  isUnreplicated: (client: PoolClient) => boolean;
  firstConnected: Promise<void>;
  /** The maximum number of connections to the server in use. */
  connections: number;
  use: () => PoolUse;
  end: () => Promise<void>;
};

/**
 * Opens the servers of a URL, each with a pool of connections. The server of the last connection is tried first, and
 * then the others in turn.
 */
export function openServers(url: string): Servers {
  const pools = createPoolOptions(url).map(
    (options) => new Pool({ ...options, Client: SelfClosingClient }),
  );
  const open = new Set<PoolClient>();
  const unreplicated = new WeakSet<PoolClient>();
  const { promise: firstConnected, resolve } = Promise.withResolvers<void>();
  for (const pool of pools) {
    // The pool replaces an idle connection that is lost; one that is lost in use rejects its queries.
    pool.on("error", () => {});
    pool.on("connect", (client) => {
      client.on("error", () => {});
      open.add(client);
      client.once("end", () => open.delete(client));
      // A commit whose wait for a standby an administrator canceled is acknowledged like any other, with this notice.
      client.on("notice", ({ routine }) => {
        if (routine === "SyncRepWaitForLSN") unreplicated.add(client);
      });
      resolve();
    });
  }
  let current: Pool | undefined;

  return {
    connect: async () => {
      const failures: unknown[] = [];
      for (const pool of new Set(current ? [current, ...pools] : pools)) {
        try {
          const client = await pool.connect();
          current = pool;
          return client;
        } catch (error) {
          failures.push(error);
        }
      }
      throw unreachableError(failures);
    },
    isUnreplicated: (client) => unreplicated.delete(client),
    firstConnected,
    connections: pools[0]?.options.max ?? 1,
    use: () => ({
      total: sum(pools.map(({ totalCount }) => totalCount)),
      idle: sum(pools.map(({ idleCount }) => idleCount)),
      waiting: sum(pools.map(({ waitingCount }) => waitingCount)),
    }),
    end: async () => {
      await Promise.all(pools.map(async (pool) => pool.ended || pool.end()));
      // A database that has gone down never confirms that the connections are closed, so the process does not wait
      // for it.
      for (const client of open) (client as PoolClient & { unref: () => void }).unref();
    },
  };
}

/**
 * Closes a connection after an error. pg leaves one open that failed to authenticate, which would keep the process
 * running until the server closes it, after a minute.
 */
class SelfClosingClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    this.connection.on("error", () => this.connection.stream.destroy());
  }
}

function sum(counts: number[]): number {
  return counts.reduce((all, count) => all + count, 0);
}
