// The resources that the ports of servers request of Placement, such as a guaranteed bandwidth.
// Upstream: create_resource_requests in nova/network/neutron.py, and
// _allocate_port_resource_for_instance in nova/compute/manager.py.
import { badRequest } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import {
  bindServerPorts,
  requestsOfPorts,
  requestsOfServer,
  type NetworkRequest,
  type PortAllocations,
  type PortRequest,
} from '../clients/network.ts';
import {
  allocationsOf,
  changeAmounts,
  listCandidates,
  providersOfGroups,
  type Amounts,
  type RequestGroup,
} from '../clients/placement.ts';
import type { ComputeHost } from '../model.ts';
import { findComputeHost } from '../store/hosts/hosts.ts';

/** What ports request, by port. */
export type PortRequests = ReadonlyMap<string, PortRequest>;

/** What the ports in a request for networks request. Ports to be created request nothing. */
export async function requestsFor(
  context: Context,
  networks: readonly NetworkRequest[],
): Promise<PortRequests> {
  const ports = networks.flatMap(({ portId }) => portId ?? []);
  return ports.length ? requestsOfPorts(context, ports) : new Map<string, PortRequest>();
}

/** The groups of ports in a query for candidates. The id of a group is its suffix. */
export const groupsOf = (requests: PortRequests, inTree?: string): RequestGroup[] =>
  [...requests.values()].flatMap(({ request_groups: groups }) =>
    groups.map(({ id, required, resources }) => ({
      suffix: id,
      resources: new Map(Object.entries(resources).filter(([, amount]) => amount > 0)),
      traits: { required: required.map((trait) => [trait]), forbidden: [] },
      aggregates: { required: [], forbidden: [] },
      inTree,
    })),
  );

/** The sets of groups whose providers must be in one subtree. */
export const subtreesOf = (requests: PortRequests): (readonly string[])[] =>
  [...requests.values()].map(({ same_subtree: ids }) => ids);

/**
 * Finds the host of a server in this region.
 * @throws 400 if it is in another region, whose Placement this one does not know
 */
async function localHost({ db }: Context, name: string | null): Promise<ComputeHost> {
  const found = name === null ? undefined : await findComputeHost(db, { name });
  if (found) return found;
  throw badRequest(
    'Ports with resource requests, like a port with a QoS minimum bandwidth policy, are not ' +
      'supported for servers of other regions.',
  );
}

/**
 * Finds the providers on a host from which a server has what its ports request.
 * @throws 400 for a host of another region
 */
export async function providersOfPorts(
  context: Context,
  server: string,
  host: string | null,
  requests: PortRequests,
): Promise<PortAllocations> {
  if (!requests.size) return new Map();
  const found = await localHost(context, host);
  const held = (await allocationsOf(context, [server])).get(server) ?? new Map<string, Amounts>();
  const providers = await providersOfGroups(context, found.uuid, held, groupsOf(requests));
  return new Map(
    [...requests].map(([port, { request_groups: groups }]) => [
      port,
      Object.fromEntries(
        groups.flatMap(({ id }) => {
          const provider = providers.get(id);
          return provider === undefined ? [] : [[id, provider]];
        }),
      ),
    ]),
  );
}

/** Binds the ports of a server to a host, where it has claimed what they request. */
export async function bindPorts(context: Context, server: string, host: string): Promise<void> {
  const requests = await requestsOfServer(context, server);
  const allocations = await providersOfPorts(context, server, host, requests);
  await bindServerPorts(context, server, host, { allocations });
}

/**
 * Claims what the ports in a request for networks request, on the host of the server to which they
 * are about to be attached.
 * @throws 400 if the host does not have it
 */
export async function claimForPorts(
  context: Context,
  { uuid, host }: { readonly uuid: string; readonly host: string | null },
  networks: readonly NetworkRequest[],
): Promise<void> {
  const requests = await requestsFor(context, networks);
  if (!requests.size) return;
  const found = await localHost(context, host);
  const [candidate] = await listCandidates(context, {
    groups: groupsOf(requests, found.uuid),
    isolate: false,
    limit: 1,
    sameSubtree: subtreesOf(requests),
  });
  const isClaimed =
    candidate !== undefined && (await changeAmounts(context, uuid, candidate.allocations()));
  if (!isClaimed)
    throw badRequest(`Failed to allocate additional resources to ${uuid} during interface attach`);
}

/** Releases what a server has claimed for a port that is about to be detached. */
export async function releaseForPort(
  context: Context,
  server: string,
  port: string,
): Promise<void> {
  const request = (await requestsOfPorts(context, [port])).get(port);
  if (!request) return;
  const released = new Map<string, Record<string, number>>();
  for (const { id, resources } of request.request_groups) {
    const provider = request.allocation[id];
    if (provider === undefined) continue;
    const amounts = released.get(provider) ?? {};
    for (const [name, amount] of Object.entries(resources))
      amounts[name] = (amounts[name] ?? 0) - amount;
    released.set(provider, amounts);
  }
  if (released.size) await changeAmounts(context, server, released);
}
