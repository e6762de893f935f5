// The file that a new cloud starts from instead of the ordinary seed, and that a reset of
// everything goes back to.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { findSeed, makeSeed, type Snapshot } from './store.ts';
import { acquireLock, transact, lockExists } from '../../kernel/db/transaction.ts';
import { conflict, ApiError } from '../../kernel/errors.ts';
import type { Cloud } from '../../kernel/model.ts';
import { openRegion } from '../regions/regions.ts';
import { withDocument } from './checking.ts';
import { databasesOf } from './document.ts';
import { isOfNow, restoreStored } from './named.ts';
import { headerIn } from './parts.ts';
import { headerFrom, linesIn, type Line } from './reading.ts';
import { checkNames, checkRegions } from './restore.ts';
import { exclusively, writtenBy } from './take.ts';

/** The turns that a cloud has taken which is not new: a seed's, and the ordinary one's. */
const seeded = ['seed.file', 'seed.identity'];

/**
 * Lets a new cloud begin as the file says; one that has begun stays as it is.
 * @throws Fault for a file that cannot be read
 */
export async function beginFromSeed(cloud: Cloud, file: string): Promise<void> {
  const { db } = cloud.central;
  const began = await exclusively(cloud, async () => {
    for (const turn of seeded) if (await lockExists(db, turn)) return false;
    await restoreSeed(cloud, file);
    await transact(db, (trx) => acquireLock(trx, seeded[0]!));
    return true;
  });
  if (began) await openMissing(cloud);
}

/** Makes the cloud what the file says. @throws 400, 409 */
export async function resetToSeed(cloud: Cloud, file: string): Promise<void> {
  await exclusively(cloud, () => restoreSeed(cloud, file));
  await openMissing(cloud);
}

/**
 * The regions that the cloud was started with and the file does not have are as those that join a
 * cloud.
 */
async function openMissing(cloud: Cloud): Promise<void> {
  for (const name of cloud.config.regions)
    if (!cloud.regions.has(name)) await openRegion(cloud, name);
}

/**
 * The file is checked once, and kept as a snapshot: who resets before each test waits for no more
 * than a restore.
 */
async function restoreSeed(cloud: Cloud, file: string): Promise<void> {
  const told = (error: unknown): never => {
    if (error instanceof ApiError)
      throw new ApiError(error.status, `--seed ${file}: ${error.message}`, error);
    throw error;
  };
  const digest = await digestOf(file);
  const kept = await findSeed(cloud.central.db, digest);
  const seed =
    kept && isOfNow(cloud, headerIn(kept)) ? kept : await readSeed(cloud, file, digest).catch(told);
  await restoreStored(cloud, seed).catch(told);
}

function readSeed(cloud: Cloud, file: string, digest: string): Promise<Snapshot> {
  const { central } = cloud;
  const lines = linesIn(createReadStream(file));
  return withDocument(
    cloud,
    lines,
    (header) => checkRegions(cloud, header),
    async (source) => {
      const snapshot = await writtenBy(cloud, async (writer) => {
        for (const { name } of databasesOf(source.header))
          await writer.write(central.db, name, source.contents(name, central.db));
        return source.header;
      });
      await makeSeed(central, snapshot.id, digest);
      return snapshot;
    },
  );
}

/** @throws 409 for a file that cannot be read */
async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  } catch (error) {
    throw conflict(`The seed ${file} cannot be read: ${(error as Error).message}.`);
  }
  return hash.digest('hex');
}

/**
 * The names of the regions that a new cloud begins with: those that it is started with, or else
 * those of the file.
 * @throws Fault for what is no document of this emulator, or of another first or central region
 */
export async function regionsWithSeed(
  migrations: Parameters<typeof headerFrom>[0],
  {
    seed,
    regions,
    centralRegion,
  }: Pick<Cloud['config'], 'regions' | 'centralRegion'> & { readonly seed: string },
): Promise<readonly string[]> {
  const header = headerFrom(migrations, await firstLine(seed));
  const names = regions.length ? regions : header.regions.map(({ name }) => name);
  const first = names.find((name) => name !== centralRegion);
  checkNames(header, first, names.includes(centralRegion) ? centralRegion : undefined);
  return names;
}

async function firstLine(file: string): Promise<Line | undefined> {
  for await (const line of linesIn(createReadStream(file))) return line;
  return undefined;
}
