// The aggregate `freepool` holds the hosts that are registered here and not in use by a
// reservation. Compute's filters keep ordinary servers off them.
import { SerializationFailure } from '../../../kernel/db/errors.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import {
  addAggregateHost,
  createAggregate,
  findAggregate,
  findAggregateByName,
  removeAggregateHost,
  type Aggregate,
} from '../clients/compute.ts';
import { readSettings, writeSetting } from '../store/settings.ts';

export const freepoolName = 'freepool';

/** The setting that remembers the id of the aggregate. */
const idSetting = 'freepool';

/**
 * Finds the aggregate, or creates it for the first host. Upstream requires an operator to create
 * it.
 */
export async function ensureFreepool(context: Context): Promise<Aggregate> {
  const id = (await readSettings(context.db))[idSetting] as number | undefined;
  const remembered = id === undefined ? undefined : await findAggregate(context, id);
  if (remembered?.name === freepoolName) return remembered;
  const aggregate = (await findAggregateByName(context, freepoolName)) ?? {
    id: await createAggregate(context, { name: freepoolName }).catch(retryOnConflict),
    name: freepoolName,
    hosts: [],
  };
  await writeSetting(context.db, idSetting, aggregate.id);
  return aggregate;
}

/** After a 409, the next attempt finds the aggregate that a concurrent request has created. */
function retryOnConflict(error: unknown): never {
  throw error instanceof ApiError && error.status === 409 ? new SerializationFailure(error) : error;
}

/** Adds a host to the aggregate, unless it is a member already or no longer exists in Compute. */
export async function addFreepoolHost(context: Context, host: string): Promise<void> {
  const { id, hosts } = await ensureFreepool(context);
  if (hosts.includes(host)) return;
  await addAggregateHost(context, id, host).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  });
}

export async function removeFreepoolHost(context: Context, host: string): Promise<void> {
  const { id, hosts } = await ensureFreepool(context);
  if (hosts.includes(host)) await removeAggregateHost(context, id, host);
}
