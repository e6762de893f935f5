// The aggregate `freepool`: hosts in it are reserved or free to be reserved, and ordinary servers do not go there.
import { Contention } from '../../../kernel/db/errors.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Work } from '../../../kernel/model.ts';
import {
  createAggregate, findAggregate, findAggregateNamed, joinAggregate, leaveAggregate, type Aggregate,
} from '../neighbours/compute.ts'; // prettier-ignore
import { readSettings, writeSetting } from '../store/settings.ts';

export const freepoolName = 'freepool';

/** The aggregate; upstream wants an operator to make it, here it comes with the first host. */
export async function freepool(work: Work): Promise<Aggregate> {
  const known = (await readSettings(work.db))['freepool'] as number | undefined;
  const remembered = known === undefined ? undefined : await findAggregate(work, known);
  if (remembered?.name === freepoolName) return remembered;
  const found = (await findAggregateNamed(work, freepoolName)) ?? {
    id: await createAggregate(work, { name: freepoolName }).catch(otherWasFaster),
    name: freepoolName,
    hosts: [],
  };
  await writeSetting(work.db, 'freepool', found.id);
  return found;
}

/** Who comes with a first host at the same moment finds the pool of the other, in a new transaction. */
function otherWasFaster(error: unknown): never {
  throw error instanceof Fault && error.status === 409 ? new Contention(error) : error;
}

/** Puts a host into the pool, unless it is there, or is no host of Compute's any more. */
export async function joinFreepool(work: Work, host: string): Promise<void> {
  const { id, hosts } = await freepool(work);
  if (hosts.includes(host)) return;
  await joinAggregate(work, id, host).catch((error: unknown) => {
    if (!(error instanceof Fault && error.status === 404)) throw error;
  });
}

export async function leaveFreepool(work: Work, host: string): Promise<void> {
  const { id, hosts } = await freepool(work);
  if (hosts.includes(host)) await leaveAggregate(work, id, host);
}
