// The list of a cloud's regions in the central database. All processes go by it, and a restart
// does.
import { bumpSharedRevision } from './state.ts';
import { acquireLock, transact } from './transaction.ts';
import type { Database, Db } from './database.ts';

/**
 * A line of the list. While a region is added or dropped its database may be half there: only an
 * open one is served.
 */
export interface ListedRegion {
  readonly id: number;
  readonly name: string;
  readonly isCentral: boolean;
  readonly state: 'adding' | 'open' | 'dropping';
}

interface Row {
  id: number;
  name: string;
  folded_name: string;
  is_central: number;
  state: ListedRegion['state'];
}

const table = (db: Db) => db<Row>('cumulet_regions');

const recordOf = ({ id, name, is_central, state }: Row): ListedRegion => ({
  id,
  name,
  isCentral: Boolean(is_central),
  state,
});

/** All lines, in the order in which the regions were added. */
export async function listedRegions(db: Db): Promise<ListedRegion[]> {
  return (await table(db).orderBy('id')).map(recordOf);
}

/**
 * Adds a line, and gives back its id.
 * @throws the driver's error of `isDuplicate` where the name is taken, in any case
 */
export async function insertListed(
  db: Db,
  { name, isCentral, state }: Omit<ListedRegion, 'id'>,
): Promise<number> {
  await table(db).insert({
    name,
    folded_name: name.toLowerCase(),
    is_central: Number(isCentral),
    state,
  });
  return (await table(db).where({ folded_name: name.toLowerCase() }).first('id'))!.id;
}

/** Gives a line another state; whether it was in the state `from`. */
export async function changeListed(
  db: Db,
  id: number,
  from: ListedRegion['state'],
  state: ListedRegion['state'],
): Promise<boolean> {
  const changed = await table(db).where({ id, state: from }).update({ state });
  await bumpRegions(db);
  return changed > 0;
}

export async function deleteListed(db: Db, id: number): Promise<void> {
  await table(db).where({ id }).delete();
  await bumpRegions(db);
}

/** Lets other processes learn that the list has changed: `Shared.regionsRevision`. */
const bumpRegions = (db: Db): Promise<void> => bumpSharedRevision(db, 'regions.revision');

/**
 * Brings the list up to what a cloud is started with: names that it does not have are added. A
 * cloud that has no regions and is given no names gets one. A list that has them all is not
 * written, so that a cloud whose disk is full can be started.
 * @returns the list, and the names that have joined a cloud that had regions before
 */
export async function startList(
  central: Database,
  names: readonly string[],
  centralName: string,
): Promise<{ list: ListedRegion[]; joined: readonly string[] }> {
  const list = await listedRegions(central.db);
  if (!missingFrom(list, names).length) return { list, joined: [] };
  return transact(central.db, async (db) => {
    await acquireLock(db, 'regions');
    const before = await listedRegions(db);
    const missing = missingFrom(before, names);
    for (const name of missing)
      await insertListed(db, { name, isCentral: name === centralName, state: 'open' });
    if (missing.length) await bumpRegions(db);
    return { list: await listedRegions(db), joined: before.length ? missing : [] };
  });
}

function missingFrom(list: readonly ListedRegion[], names: readonly string[]): readonly string[] {
  const known = new Set(list.map(({ name }) => name.toLowerCase()));
  const wanted = names.length || list.length ? names : ['RegionOne'];
  return wanted.filter((name) => !known.has(name.toLowerCase()));
}
