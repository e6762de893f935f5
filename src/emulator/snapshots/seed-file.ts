// The file of --seed, which replaces the built-in seed of a new cloud, and which a reset of
// everything restores: a document of `cumulet export`, or a world, which is made first.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { machineNow, SECOND } from '../../kernel/clock.ts';
import { acquireLock, transact, lockExists } from '../../kernel/db/transaction.ts';
import { conflict, ApiError } from '../../kernel/errors.ts';
import type { Cloud } from '../../kernel/model.ts';
import { openRegion } from '../regions/regions.ts';
import { withDocument } from './document-checker.ts';
import { headerFrom, linesIn } from './document-reader.ts';
import { readWorld, regionsOf } from '../worlds/read.ts';
import { hasRelativeTimes, isWorld } from '../worlds/recognize.ts';
import { withWorld } from '../worlds/world-source.ts';
import { WorldError } from '../worlds/yaml-file.ts';
import type { CheckedSource, Line, Snapshot } from './model.ts';
import { headerIn } from './parts.ts';
import { checkNames, checkRegions } from './restore.ts';
import { hasCurrentSchema, restoreStored, storeSource } from './snapshots.ts';
import { findSeed, markAsSeed } from './store/snapshots.ts';
import { exclusively } from './take.ts';

/**
 * Locks that exist only in a cloud that has been seeded: from a file, or with the built-in seed.
 */
const seedLocks = ['seed.file', 'seed.identity'];

/**
 * Seeds a new cloud from the file. A cloud that has been seeded before keeps its state.
 * @throws ApiError if the file is invalid
 */
export async function beginFromSeed(cloud: Cloud, file: string): Promise<void> {
  const { db } = cloud.central;
  const isNew = await exclusively(cloud, async () => {
    for (const lock of seedLocks) if (await lockExists(db, lock)) return false;
    await restoreSeed(cloud, file);
    await transact(db, (trx) => acquireLock(trx, seedLocks[0]!));
    return true;
  });
  if (isNew) await openMissing(cloud);
}

/**
 * Restores the state in the file.
 * @param name what error messages call the file
 * @throws 400, 409
 */
export async function resetToSeed(
  cloud: Cloud,
  file: string,
  name = `--seed ${file}`,
): Promise<void> {
  await exclusively(cloud, () => restoreSeed(cloud, file, name));
  await openMissing(cloud);
}

/** Adds the regions of --regions that the file does not have, as new ones. */
async function openMissing(cloud: Cloud): Promise<void> {
  for (const name of cloud.config.regions)
    if (!cloud.regions.has(name)) await openRegion(cloud, name);
}

/** Throws an error again, with the name of the file if the error is about that file. */
const naming =
  (name: string) =>
  (error: unknown): never => {
    if (error instanceof ApiError && !(error instanceof WorldError))
      throw new ApiError(error.status, `${name}: ${error.message}`, error);
    throw error;
  };

/**
 * Restores the file. It is checked once and stored as a snapshot, so that a reset before each test
 * takes no longer than a restore.
 */
async function restoreSeed(cloud: Cloud, file: string, name = `--seed ${file}`): Promise<void> {
  const rethrow = naming(name);
  const digest = await digestOf(file);
  const stored = await findSeed(cloud.central.db, digest);
  const seed =
    stored && hasCurrentSchema(cloud, headerIn(stored)) && isFresh(stored, file)
      ? stored
      : await readSeed(cloud, file, digest).catch(rethrow);
  await restoreStored(cloud, seed).catch(rethrow);
}

/** How long the state of a world with relative times, such as `+7d`, is used: microseconds. */
const maxAge = 60 * SECOND;

/** Whether the times in a stored state are still those that its file asks for. */
const isFresh = ({ createdAt }: Snapshot, file: string): boolean =>
  machineNow() - createdAt < maxAge || !(isWorld(file) && hasRelativeTimes(file));

function readSeed(cloud: Cloud, file: string, digest: string): Promise<Snapshot> {
  const { central } = cloud;
  const store = async (source: CheckedSource): Promise<Snapshot> => {
    const snapshot = await storeSource(cloud, source);
    await markAsSeed(central, snapshot.id, digest);
    return snapshot;
  };
  if (isWorld(file)) return withWorld(cloud, readWorld(file), store);
  const lines = linesIn(createReadStream(file));
  return withDocument(
    cloud,
    lines,
    {
      checkHeader: (header) => checkRegions(cloud, header),
      allowsInconsistent: cloud.config.seedReferences === 'any',
      hint: ' (--seed-references any accepts it all the same)',
    },
    store,
  );
}

/** @throws 409 if the file cannot be read */
async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  } catch (error) {
    throw conflict(
      `The seed file ${file} cannot be read: ${(error as Error).message}. Restore the ` +
        'file, or start without --seed.',
    );
  }
  return hash.digest('hex');
}

/**
 * The names of a new cloud's regions: those of --regions, or else those of the file.
 * @throws ApiError if the file is not a document of this emulator, or if its first or central
 *   region differs
 */
export async function regionsWithSeed(
  migrations: Parameters<typeof headerFrom>[0],
  {
    seed,
    regions,
    centralRegion,
  }: Pick<Cloud['config'], 'regions' | 'centralRegion'> & { readonly seed: string },
): Promise<readonly string[]> {
  try {
    if (isWorld(seed)) return namesOfWorld(seed, regions);
    const header = headerFrom(migrations, await firstLine(seed));
    const names = regions.length ? regions : header.regions.map(({ name }) => name);
    const first = names.find((name) => name !== centralRegion);
    checkNames(header, first, names.includes(centralRegion) ? centralRegion : undefined);
    return names;
  } catch (error) {
    return naming(`--seed ${seed}`)(error);
  }
}

/** The names of --regions, or else those of a world; if neither has any, `RegionOne`. */
function namesOfWorld(file: string, regions: readonly string[]): readonly string[] {
  const named = regionsOf(readWorld(file).world);
  return regions.length ? regions : named;
}

async function firstLine(file: string): Promise<Line | undefined> {
  for await (const line of linesIn(createReadStream(file))) return line;
  return undefined;
}
