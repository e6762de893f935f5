// Which hosts are connected to which segments: those whose agent has a bridge to the physical
// network. Upstream: neutron/services/segments/db.py, and bridge_mappings of the agents.
import { schedule } from '../../../../kernel/jobs/queue.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { Segment } from '../../model.ts';
import { listAgentsOfType } from '../../store/agents.ts';
import { segmentTable } from '../../store/tables.ts';
import { networkSettings, physicalNetworksOf } from '../settings.ts';

type Db = Pick<Context, 'db'>;

const hasPhysical = ({ physical_network: physical }: Segment): boolean => physical !== null;

/** The hosts that are connected to a segment: none, if it has no physical network. */
export async function hostsOfSegment({ db }: Db, segment: Segment): Promise<string[]> {
  if (!hasPhysical(segment)) return [];
  const { physicalNetworks } = await networkSettings.load(db);
  return (await listAgentsOfType(db, 'Open vSwitch agent'))
    .map(({ host }) => host)
    .filter((host) =>
      physicalNetworksOf(physicalNetworks, host).includes(segment.physical_network!),
    );
}

/** The ids of the segments that a host is connected to, of those given. */
export async function segmentsOfHost(
  { db }: Db,
  ids: readonly string[],
  host: string,
): Promise<ReadonlySet<string>> {
  const agents = await listAgentsOfType(db, 'Open vSwitch agent');
  if (!agents.some((agent) => agent.host === host)) return new Set();
  const physical = physicalNetworksOf((await networkSettings.load(db)).physicalNetworks, host);
  const segments = await segmentTable.among(db, 'id', [...new Set(ids)]);
  return new Set(
    segments
      .filter((segment) => hasPhysical(segment) && physical.includes(segment.physical_network!))
      .map(({ id }) => id),
  );
}

/**
 * Has Compute bring the host aggregate and the inventory of a segment up to date: it is a service
 * above Network.
 */
export async function reportSegment({ db, now, region }: Context, id: string): Promise<void> {
  if (!region.isCentral)
    await schedule(db, { dueAt: now, kind: 'compute.routed_segment', subject: id });
}

/** Reports the segments with subnets, whose hosts may have changed. */
export async function reportRoutedSegments(context: Context): Promise<void> {
  const used = (await context
    .db('network_subnets')
    .distinct('segment_id as id')
    .whereNotNull('segment_id')) as { id: string }[];
  for (const { id } of used) await reportSegment(context, id);
}
