// The pods of the profile with which a cloud was first started: a shared value, so that it outlives
// resets and is not part of a snapshot.
import type { Db } from '../../../kernel/db/database.ts';
import { readSharedValue, writeSharedValue } from '../../../kernel/db/state.ts';
import type { PodSeed } from '../profiles.ts';

const name = 'tricircle.profile';

/** The pods; undefined if the cloud has never been started with a profile. */
export async function readProfile(db: Db): Promise<readonly PodSeed[] | undefined> {
  const stored = await readSharedValue(db, name);
  return stored === undefined ? undefined : (JSON.parse(stored) as readonly PodSeed[]);
}

export const writeProfile = (db: Db, pods: readonly PodSeed[]): Promise<void> =>
  writeSharedValue(db, name, JSON.stringify(pods));
