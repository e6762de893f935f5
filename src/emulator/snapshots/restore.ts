// Putting a cloud into another state, with the regions that it had then.
//
// Each database is changed in one transaction: first those of regions that come back, which nobody
// uses yet; then the central one, together with the list of regions; then the other regions', one
// after the other. What cannot be written is found before: who writes a document checks it, and
// what this emulator has stored fits. Where a database fails all the same (its disk is full, or it
// has gone), regions that were to come back are removed again if the central one is not changed
// yet; after it the fault says what is restored and what is not, and to restore again puts all
// right.
//
// What processes remember is right afterwards, because revisions go forward, whatever state comes
// back: tokens and their callers go by the auth revision, as does the key of tokens
// (services/identity/authenticator.ts); fault rules and regions by theirs; the clock and the
// revisions themselves are forgotten here, and read again by other processes after `sharedBound`.
// No process goes by what it knew to be due: this one forgets it, and others look again after a
// time as short. Nothing else is remembered; Knex's prepared statements know tables, and no rows.
import { pause } from '../../kernel/clock.ts';
import { putContents } from './contents.ts';
import type { Database, Db } from '../../kernel/db/database.ts';
import { asApiError } from '../../kernel/db/errors.ts';
import { dropDatabase, openDatabase } from '../../kernel/db/open.ts';
import {
  changeListed,
  deleteListed,
  insertListed,
  listedRegions,
} from '../../kernel/db/region-list.ts';
import { bumpAuthRevision, bumpSharedRevision, sharedStateMaxAge } from '../../kernel/db/state.ts';
import { acquireLock, transact } from '../../kernel/db/transaction.ts';
import { conflict, ApiError } from '../../kernel/errors.ts';
import { releaseClaims } from '../../kernel/jobs/queue.ts';
import type { Cloud, Region } from '../../kernel/model.ts';
import { poolsOf } from '../../kernel/settings.ts';
import { whileQuiesced } from '../../kernel/jobs/due-jobs.ts';
import { acquireCentralLock } from '../../kernel/context.ts';
import { writeClock } from '../clock/clock.ts';
import { dropListed } from '../regions/regions.ts';
import { centralRegionOf, regionWith, release } from '../../kernel/regions.ts';
import { centralName, type Header, type RegionHead, type Source } from './document.ts';

/**
 * Makes the cloud what the source has. To be called exclusively (take.ts). Requests to this process
 * wait; what others do at the same time is done before or after, in each database. Jobs that were
 * taken are nobody's now.
 * @throws 409 for a state of another first or central region
 */
export async function restoreCloud(cloud: Cloud, source: Source): Promise<void> {
  checkRegions(cloud, source.header);
  const gone = await whileQuiesced(cloud, () => changed(cloud, source));
  for (const region of gone) {
    await release(region);
    await dropListed(cloud, region);
  }
}

/** @throws 409 where the state is of a cloud whose paths or gateways are another region's */
export const checkRegions = (cloud: Cloud, header: Header): void =>
  checkNames(header, cloud.firstRegion.name, centralRegionOf(cloud)?.name);

/** The same for a cloud whose first and central region are called so. */
export function checkNames(
  { regions }: Header,
  first: string | undefined,
  central: string | undefined,
): void {
  const [itsFirst, itsCentral] = [false, true].map(
    (is) => regions.find((region) => region.central === is)?.name,
  );
  const flags = `--regions ${regions.map(({ name }) => name).join(',')}${itsCentral === undefined ? '' : ` --central-region ${itsCentral}`}`;
  if (itsFirst !== first)
    throw conflict(
      `The first region of what is restored is ${itsFirst}, and that of this cloud is ${first}. Start a cloud with ${flags}.`,
    );
  if (itsCentral === central) return;
  const had = itsCentral === undefined ? 'no central region' : `the central region ${itsCentral}`;
  const has = central === undefined ? 'has none' : `has ${central}`;
  throw conflict(
    `What is restored has ${had}, and this cloud ${has}. Start a cloud with ${flags}.`,
  );
}

/** @returns the regions that are no longer served, and whose databases are to be dropped */
async function changed(cloud: Cloud, source: Source): Promise<Region[]> {
  const { central } = cloud;
  const wanted = source.header.regions;
  const gone = [...cloud.regions.values()].filter(
    ({ name }) => !wanted.some((one) => one.name === name),
  );
  const stay = [...cloud.regions.values()].filter((region) => !gone.includes(region));
  const back: Region[] = [];
  try {
    for (const one of wanted)
      if (!cloud.regions.has(one.name)) await comeBack(cloud, one, source, back);
    await transact(central.db, async (db) => {
      await acquireCentralLock(db);
      await fill(central, db, source, centralName);
      await turnOver(db, source.header, back, gone);
    });
  } catch (error) {
    for (const region of back) await giveUp(cloud, region);
    throw error;
  }
  const regions = cloud.regions as Map<string, Region>;
  for (const { name } of gone) regions.delete(name);
  for (const region of back) regions.set(region.name, region);
  cloud.sharedState.invalidate();
  await fillEach(cloud, stay, source);
  // Other processes go by what they last read for so long: after this they agree.
  if (central.kind === 'mysql') await pause(sharedStateMaxAge + 1);
  return gone;
}

/**
 * Makes the database of a region that was dropped, with what it held. Nobody serves it before it is
 * open in the list.
 * @throws 409
 */
async function comeBack(
  cloud: Cloud,
  { name, central: isCentral }: RegionHead,
  source: Source,
  back: Region[],
): Promise<void> {
  const { config, central, regionMigrations } = cloud;
  const way = (await listedRegions(central.db)).find(
    (listed) => listed.name.toLowerCase() === name.toLowerCase(),
  );
  if (way)
    throw conflict(
      `The region ${way.name} stands in the way of ${name}, which comes back. Drop it first.`,
    );
  const id = await transact(central.db, (db) =>
    insertListed(db, { name, isCentral, state: 'adding' }),
  );
  try {
    const region = regionWith(
      await openDatabase(config.database, name, regionMigrations, poolsOf(config)),
      { id, isCentral },
    );
    back.push(region);
    await transact(region.database.db, (db) => fill(region.database, db, source, name, central.db));
  } catch (error) {
    if (back.at(-1)?.id !== id) await transact(central.db, (db) => deleteListed(db, id));
    throw error;
  }
}

async function giveUp(
  { config, central, sharedState: shared }: Cloud,
  { id, name, database }: Region,
): Promise<void> {
  await database.db.destroy();
  await dropDatabase(config.database, name);
  await transact(central.db, (db) => deleteListed(db, id));
  shared.invalidate();
}

async function fill(
  database: Database,
  db: Db,
  source: Source,
  name: string,
  central = db,
): Promise<void> {
  await putContents(database, db, source.contents(name, central));
  await releaseClaims(db);
}

/**
 * What goes with the central database: the clock, the regions, and revisions that only go forward.
 */
async function turnOver(
  db: Db,
  { clock }: Header,
  back: readonly Region[],
  gone: readonly Region[],
): Promise<void> {
  await writeClock(db, { frozenAt: clock.frozen_at, offset: clock.offset });
  for (const { id } of back) await changeListed(db, id, 'adding', 'open');
  for (const { id } of gone) await changeListed(db, id, 'open', 'dropping');
  await bumpAuthRevision(db);
  await bumpSharedRevision(db, 'faults.revision');
}

/**
 * Those of services that write in turns come after their writers.
 * @throws a fault that says what is restored and what is not
 */
async function fillEach(cloud: Cloud, regions: readonly Region[], source: Source): Promise<void> {
  const turns = [
    ...new Set(
      cloud.services.flatMap(({ definition }) =>
        definition.database === 'region' ? (definition.lock ?? []) : [],
      ),
    ),
  ].sort();
  for (const [at, { name, database }] of regions.entries()) {
    try {
      await transact(database.db, async (db) => {
        for (const turn of turns) await acquireLock(db, turn);
        await fill(database, db, source, name, cloud.central.db);
      });
    } catch (error) {
      const fault = asApiError(error);
      if (!(fault instanceof ApiError)) throw error;
      const missing = regions
        .slice(at)
        .map((region) => region.name)
        .join(', ');
      throw new ApiError(
        fault.status,
        `${fault.message} The cloud is restored but for ${missing}: restore it again.`,
        fault,
      );
    }
  }
}
