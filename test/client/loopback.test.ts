import { expect, test } from "vitest";
import { isLoopback } from "../../src/client/loopback.ts";

test.for<[isLocal: boolean, hosts: string[]]>([
  [true, ["127.0.0.1", "127.255.255.254:8402", "127.1", "0x7f.0.0.1", "[::1]"]],
  [true, ["[0:0:0:0:0:0:0:1]:8402", "localhost", "LocalHost.", "a.b.localhost"]],
  [false, ["127.0.0.1.evil.example", "localhost.evil", "mylocalhost", "0.0.0.0", "[::]"]],
  [false, ["[::ffff:127.0.0.1]", "[::2]", "126.0.0.1", "1.127.0.0", "user@example.com"]],
  [false, ["payments.example/127.0.0.1"]],
])("whether a host is this machine: %j, %j", ([isLocal, hosts]) => {
  for (const host of hosts) {
    expect([host, isLoopback(new URL(`http://${host}`).hostname)]).toEqual([host, isLocal]);
  }
});
