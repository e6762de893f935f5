// The list of a cloud's regions in the central database, which all processes follow, also after a
// restart.
import { boolean, integer, text, textOf } from './columns.ts';
import type { Database, Db } from './database.ts';
import { bumpSharedRevisions } from './state.ts';
import { Table } from './table.ts';
import { acquireLock, transact } from './transaction.ts';

const regionStates = ['adding', 'open', 'dropping'] as const;

/**
 * A region in the list. While one is being added or dropped, its database may be incomplete: only
 * an open region is served.
 */
export interface ListedRegion {
  readonly id: number;
  readonly name: string;
  readonly isCentral: boolean;
  readonly state: (typeof regionStates)[number];
}

const regions = new Table<ListedRegion & { readonly foldedName: string }, 'id'>(
  'cumulet_regions',
  { id: integer, name: text, foldedName: text, isCentral: boolean, state: textOf(regionStates) },
  { generated: 'id' },
);

/** All regions, in the order in which they were added. */
export const listedRegions = (db: Db): Promise<ListedRegion[]> => regions.list(db);

/**
 * Adds a region, and returns its id.
 * @throws the driver's error of `isDuplicate` if the name is taken, ignoring case
 */
export async function insertListed(db: Db, region: Omit<ListedRegion, 'id'>): Promise<number> {
  const [id] = await regions.insert(db, { ...region, foldedName: region.name.toLowerCase() });
  return id!;
}

/** Changes the state of a region if it is `from`; returns whether it was. */
export async function changeListed(
  db: Db,
  id: number,
  from: ListedRegion['state'],
  state: ListedRegion['state'],
): Promise<boolean> {
  const changed = await regions.update(db, { id, state: from }, { state });
  await bumpRegions(db);
  return changed > 0;
}

/** Deletes a region from the list. @returns false if it was not there */
export async function deleteListed(db: Db, id: number): Promise<boolean> {
  const deleted = await regions.remove(db, { id });
  await bumpRegions(db);
  return deleted > 0;
}

/** Notifies other processes that the list has changed: `SharedValues.regionsRevision`. */
const bumpRegions = (db: Db): Promise<void> => bumpSharedRevisions(db, 'regions.revision');

/**
 * Adds the regions that a cloud is started with to the list, if they are new. A cloud without any
 * gets one. If none is new, nothing is written, so that a cloud can start on a full disk.
 * @returns the list, and the names that have joined a cloud that had regions before
 * @throws Error if that would give the cloud a second central region
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
    if (missing.includes(centralName)) refuseSecondCentral(before, centralName);
    for (const name of missing)
      await insertListed(db, { name, isCentral: name === centralName, state: 'open' });
    if (missing.length) await bumpRegions(db);
    return { list: await listedRegions(db), joined: before.length ? missing : [] };
  });
}

function refuseSecondCentral(list: readonly ListedRegion[], name: string): void {
  const central = list.find(({ isCentral }) => isCentral);
  if (!central) return;
  throw new Error(
    `The central region of this cloud is ${central.name}, so ${name} cannot become another one. ` +
      `Use --central-region ${central.name}, or choose another database with --database.`,
  );
}

function missingFrom(list: readonly ListedRegion[], names: readonly string[]): readonly string[] {
  const known = new Set(list.map(({ name }) => name.toLowerCase()));
  const wanted = names.length || list.length ? names : ['RegionOne'];
  return wanted.filter((name) => !known.has(name.toLowerCase()));
}
