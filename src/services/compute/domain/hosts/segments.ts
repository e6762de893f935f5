// The segments of routed networks: each has a provider in Placement with its IPv4 addresses, and a
// host aggregate with its hosts. Upstream, Neutron makes them: NovaSegmentNotifier in
// neutron/services/segments/plugin.py.
import { attempt } from '../../../../kernel/context.ts';
import type { Context } from '../../../../kernel/model.ts';
import { segmentSupply } from '../../clients/network.ts';
import { addToAggregate, deleteProvider, ensureProviders } from '../../clients/placement.ts';
import type { Aggregate } from '../../model.ts';
import { deleteAggregate, findAggregate } from '../../store/hosts/aggregates.ts';
import { findComputeHosts } from '../../store/hosts/hosts.ts';
import { addAggregateHosts, createAggregate, removeAggregateHost } from './aggregates.ts';

const nameOf = (segmentId: string): string => `Neutron segment id ${segmentId}`;

/** Brings the provider and the host aggregate of a segment up to date, or removes them. */
export async function followSegment(context: Context, id: string): Promise<void> {
  const { db } = context;
  const name = nameOf(id);
  const aggregate = await findAggregate(db, { name });
  const supply = await segmentSupply(context, id);
  if (!supply) {
    if (aggregate) await deleteAggregate(db, (await withHosts(context, aggregate, [])).id);
    // A provider with allocations stays, as upstream.
    await attempt(context, (inner) => deleteProvider(inner, id));
    return;
  }
  const { total, reserved, hosts } = supply;
  const inventory = { total, reserved, min_unit: 1, max_unit: 1, step_size: 1 };
  const inventories = { IPV4_ADDRESS: { ...inventory, allocation_ratio: 1 } };
  await ensureProviders(context, [{ uuid: id, name, inventories, traits: [] }]);
  const own = aggregate ?? (await createAggregate(context, { name }));
  await addToAggregate(context, own.uuid, [id]);
  await withHosts(context, own, hosts);
}

/** Gives an aggregate exactly these hosts, of those that Compute has. */
async function withHosts(
  context: Context,
  aggregate: Aggregate,
  wanted: readonly string[],
): Promise<Aggregate> {
  const known = await findComputeHosts(context.db, wanted);
  let current = aggregate;
  for (const host of aggregate.hosts)
    if (!known.has(host)) current = await removeAggregateHost(context, current, host);
  const missing = [...known.keys()].filter((host) => !current.hosts.includes(host));
  return missing.length ? addAggregateHosts(context, current, missing) : current;
}
