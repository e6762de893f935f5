// Counts how many more nodes of a profile fit.
import type { Measured } from '../../../../emulator/capacity/model.ts';
import { elevated } from '../../../../kernel/context.ts';
import { badRequest } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { countServers } from '../../clients/compute.ts';
import type { Json } from '../../model.ts';
import { profileFor } from '../requests/identities.ts';

/**
 * Counts the nodes that fit if they are created one at a time. Neither quotas nor the sizes and
 * policies of clusters are considered.
 * @param identity the id or the name of a profile of any project
 * @throws 300, 404; 400 for a profile whose nodes are no servers
 */
export async function countNodes(context: Context, identity: string): Promise<Measured> {
  const { type, spec, projectId } = await profileFor(elevated(context), identity);
  if (!type.startsWith('os.nova.server'))
    throw badRequest(
      `Nodes of the type ${type} need no host of Compute, so they cannot be counted.`,
    );
  const {
    flavor,
    image,
    availability_zone: zone,
    ...others
  } = spec.properties as {
    readonly flavor: string;
    readonly image?: string | null;
    readonly availability_zone?: string | null;
    readonly scheduler_hints?: Json | null;
    readonly block_device_mapping_v2?: readonly Json[] | null;
  };
  const group = others.scheduler_hints?.['group'];
  const devices = others.block_device_mapping_v2 ?? [];
  const measured = await countServers(context, {
    flavor,
    image: image ?? undefined,
    zone: zone ?? undefined,
    group: typeof group === 'string' ? group : undefined,
    onVolume: devices.some(isBootVolume),
    project: projectId,
  });
  return { ...measured, noun: 'nodes' };
}

/** Whether a server boots from a block device, which is a volume. */
const isBootVolume = ({ boot_index: index, destination_type: type }: Json): boolean =>
  Number(index ?? -1) === 0 && type === 'volume';
