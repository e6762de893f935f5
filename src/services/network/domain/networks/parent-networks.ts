// What policy rules see of the network of a subnet or port: its owner, and whether it is shared or
// external. Upstream: neutron/policy.py, OwnerCheck.
import type { Target } from '../../../../kernel/oslo/policy.ts';
import type { Context } from '../../../../kernel/model.ts';
import { sharedWith } from '../../store/sharing.ts';
import { networkTable } from '../../store/tables.ts';
import type { Fields } from '../attributes/definitions.ts';
import { networkNotFound } from '../refusals.ts';

/** Returns one target for each resource. @throws 404 for an unknown network, if `mustExist` */
export async function parentNetworks(
  { db, actor }: Context,
  resources: readonly Fields[],
  mustExist: boolean,
): Promise<Target[]> {
  const ids = resources.map((resource) => resource['network_id'] as string);
  const networks = new Map(
    (await networkTable.among(db, 'id', ids)).map((network) => [network.id, network]),
  );
  const shared = await sharedWith(db, actor.projectId ?? '', networks.keys());
  return ids.map((id) => {
    const network = networks.get(id);
    if (!network && mustExist) throw networkNotFound(id);
    return {
      'network:project_id': network?.project_id,
      'network:tenant_id': network?.project_id,
      shared: shared.has(id),
      'router:external': network?.['router:external'] ?? false,
    };
  });
}
