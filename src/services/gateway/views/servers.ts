// A server as the gateway's client sees it: with the addresses and security groups of its ports in
// the central region.
import type { Json } from '../call.ts';

/** A port of a server in the central region. */
export interface ServerNetworks {
  readonly addresses: (all: boolean) => Json;
  /** The names of the security groups. */
  readonly groups: readonly string[];
}

/** A server of a pod with the central region's networks. */
export function withNetworks(server: Json, networks: ServerNetworks | undefined): Json {
  if (!networks) return server;
  const { addresses, security_groups: groups } = server;
  const shown = addresses as Readonly<Record<string, readonly object[]>> | undefined;
  const first = Object.values(shown ?? {}).flat()[0];
  return {
    ...server,
    // A server that is being built has no addresses yet.
    ...(first ? { addresses: networks.addresses('OS-EXT-IPS:type' in first) } : {}),
    ...(Array.isArray(groups)
      ? { security_groups: networks.groups.map((name) => ({ name })) }
      : {}),
  };
}
