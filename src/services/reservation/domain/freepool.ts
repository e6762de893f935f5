// The aggregate `freepool`: hosts in it are reserved or free to be reserved, and ordinary servers
// do not go there.
import { SerializationFailure } from '../../../kernel/db/errors.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import {
  createAggregate,
  findAggregate,
  findAggregateNamed,
  joinAggregate,
  leaveAggregate,
  type Aggregate,
} from '../clients/compute.ts';
import { readSettings, writeSetting } from '../store/settings.ts';

export const freepoolName = 'freepool';

/** The aggregate; upstream wants an operator to make it, here it comes with the first host. */
export async function freepool(context: Context): Promise<Aggregate> {
  const known = (await readSettings(context.db))['freepool'] as number | undefined;
  const remembered = known === undefined ? undefined : await findAggregate(context, known);
  if (remembered?.name === freepoolName) return remembered;
  const found = (await findAggregateNamed(context, freepoolName)) ?? {
    id: await createAggregate(context, { name: freepoolName }).catch(otherWasFaster),
    name: freepoolName,
    hosts: [],
  };
  await writeSetting(context.db, 'freepool', found.id);
  return found;
}

/**
 * Who comes with a first host at the same moment finds the pool of the other, in a new transaction.
 */
function otherWasFaster(error: unknown): never {
  throw error instanceof ApiError && error.status === 409 ? new SerializationFailure(error) : error;
}

/** Puts a host into the pool, unless it is there, or is no host of Compute's any more. */
export async function joinFreepool(context: Context, host: string): Promise<void> {
  const { id, hosts } = await freepool(context);
  if (hosts.includes(host)) return;
  await joinAggregate(context, id, host).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  });
}

export async function leaveFreepool(context: Context, host: string): Promise<void> {
  const { id, hosts } = await freepool(context);
  if (hosts.includes(host)) await leaveAggregate(context, id, host);
}
