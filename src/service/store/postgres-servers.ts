import { Client, Pool, type ClientConfig, type PoolClient } from "pg";
import type { PoolUse } from "./driver.ts";
import { unreachableError } from "./postgres-errors.ts";
import { createPoolOptions } from "./postgres-options.ts";

export type Servers = {
  /** Error: Unavailable. */
  connect: () => Promise<PoolClient>;
  /** Whether the last commit is on this server alone; says so once. */
  isUnreplicated: (client: PoolClient) => boolean;
  /** Fulfilled when one has been connected to. */
  firstConnected: Promise<void>;
  /** How many connections there may be to the server in use. */
  connections: number;
  use: () => PoolUse;
  end: () => Promise<void>;
};

/**
 * Opens the servers that a URL names, each with a pool of connections. The one that was connected to
 * last is used; where that fails, the others are tried in turn.
 */
export function openServers(url: string): Servers {
  const pools = createPoolOptions(url).map(
    (options) => new Pool({ ...options, Client: SelfClosingClient }),
  );
  const open = new Set<PoolClient>();
  const unreplicated = new WeakSet<PoolClient>();
  const { promise: firstConnected, resolve } = Promise.withResolvers<void>();
  for (const pool of pools) {
    // The pool replaces a connection that ends unused. One that ends in use fails what it was asked.
    pool.on("error", () => {});
    pool.on("connect", (client) => {
      client.on("error", () => {});
      open.add(client);
      client.once("end", () => open.delete(client));
      // A commit that waited for a standby until an operator ended the waiting is acknowledged as any other.
      client.on("notice", ({ routine }) => {
        if (routine === "SyncRepWaitForLSN") unreplicated.add(client);
      });
      resolve();
    });
  }
  let used: Pool | undefined;

  return {
    connect: async () => {
      const failures: unknown[] = [];
      for (const pool of new Set(used ? [used, ...pools] : pools)) {
        try {
          const client = await pool.connect();
          used = pool;
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
      // A database that is gone never says that they have ended, so the process does not wait for it.
      for (const client of open) (client as PoolClient & { unref: () => void }).unref();
    },
  };
}

/**
 * A connection that failed is of no use, but pg leaves one open that cannot authenticate itself: until the
 * server ended it, after a minute, the process would not end.
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
