// The replication of groups. The only backend does not replicate, so that the checks refuse nearly
// every request, and what passes them ends in an error. Upstream: cinder/group/api.py.
import { badRequest } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { pythonRepr } from '../../../../kernel/oslo/python-repr.ts';
import type { Group, ReplicationStatus } from '../../model.ts';
import { findGroupType } from '../../store/group-types.ts';
import { updateGroup } from '../../store/groups.ts';
import { findType } from '../../store/types.ts';
import { volumesOfGroup } from '../../store/volumes.ts';
import { invalidGroup, invalidVolume } from '../errors.ts';
import { hasTrueSpec } from './group-types.ts';
import { scheduleForGroup } from './groups.ts';

const replicationSpecs = ['group_replication_enabled', 'consistent_group_replication_enabled'];

/** Checks that the types of a group and of its volumes are replicated. @throws 400 */
export async function checkReplicated({ db }: Context, group: Group): Promise<void> {
  const specs = (await findGroupType(db, { id: group.groupTypeId }))?.specs ?? {};
  if (!replicationSpecs.some((name) => hasTrueSpec(specs, name)))
    throw badRequest(`Invalid group type: Group ${group.id} is not a replication group type.`);
  for (const id of group.volumeTypes) {
    const type = await findType(db, { id });
    if (type && !hasTrueSpec(type.extraSpecs, 'replication_enabled'))
      throw badRequest(
        `Invalid volume type: Volume type ${id} does not have 'replication_enabled' spec key set ` +
          "to '<is> True'.",
      );
  }
}

/** A change of the replication of a group. */
interface ReplicationChange {
  /** The word in error messages. */
  readonly verb: string;
  readonly statuses: readonly string[];
  readonly replicationStatuses: readonly string[];
}

const enabling: ReplicationChange = {
  verb: 'enable',
  statuses: ['available'],
  replicationStatuses: ['disabled', 'enabled'],
};
const disabling: ReplicationChange = {
  verb: 'disable',
  statuses: ['available', 'error'],
  replicationStatuses: ['enabled', 'error'],
};
const failingOver: ReplicationChange = {
  verb: 'failover',
  statuses: ['available'],
  replicationStatuses: ['enabled', 'failed-over'],
};

/** Checks that the replication of a group may change. @throws 400 */
async function checkChange(
  context: Context,
  group: Group,
  { verb, statuses, replicationStatuses }: ReplicationChange,
): Promise<void> {
  await checkReplicated(context, group);
  const check = (what: string, current: string, valid: readonly string[]): void => {
    if (!valid.includes(current))
      throw invalidGroup(
        `Group ${group.id} ${what} must be ${pythonRepr([...valid])}, but current status is: ` +
          `${current}. Cannot ${verb} replication.`,
      );
  };
  check('status', group.status, statuses);
  check('replication status', group.replicationStatus, replicationStatuses);
}

/**
 * Begins to enable the replication of a group, which fails because the backend cannot. A group with
 * volumes is refused: they have no status of replication.
 * @throws 400
 */
export const enableReplication = (context: Context, group: Group): Promise<void> =>
  change(context, group, enabling, 'enabling');

/** Begins to disable the replication of a group, which fails, too. @throws 400 */
export const disableReplication = (context: Context, group: Group): Promise<void> =>
  change(context, group, disabling, 'disabling');

async function change(
  context: Context,
  group: Group,
  requested: ReplicationChange,
  replicationStatus: ReplicationStatus,
): Promise<void> {
  const { db, now } = context;
  await checkChange(context, group, requested);
  const [volume] = await volumesOfGroup(db, group.id);
  if (volume)
    throw invalidVolume(
      `Volume ${volume.id} status must be ${pythonRepr([...requested.replicationStatuses])}, ` +
        `but current status is: None. Cannot ${requested.verb} replication.`,
    );
  await updateGroup(db, group, { replicationStatus }, now);
  await scheduleForGroup(context, 'volume.group_replication_changed', group);
}

/** Refuses to fail a group over to another backend: replication is never enabled. @throws 400 */
export const failOverReplication = (context: Context, group: Group): Promise<void> =>
  checkChange(context, group, failingOver);
