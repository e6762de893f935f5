// The pods of a profile: registering them in a new cloud, the regions that they need, and the
// catalogs of tenants, which show the central region only.
import { isDeepStrictEqual } from 'node:util';
import { uuidFor } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import { limitCatalogs } from '../../clients/identity.ts';
import type { PodSeed } from '../../profiles.ts';
import { insertPod, listPods } from '../../store/pods.ts';
import { readProfile, writeProfile } from '../../store/profile.ts';
import { readSettings, writeSetting } from '../../store/settings.ts';
import { scheduleCollection } from '../usages.ts';
import { newPod } from './pods.ts';

/**
 * The pods of the cloud's profile: that of its first start with one, whatever --profile says now,
 * so that a cloud keeps its profile if it is started without the option.
 */
export const podsOfProfile = async ({ cloud, db }: Context): Promise<readonly PodSeed[]> =>
  (await readProfile(db)) ?? cloud.config.pods;

/** Warns about a profile that differs from the cloud's. */
export async function otherProfile(context: Context): Promise<string[]> {
  const { pods } = context.cloud.config;
  const kept = await podsOfProfile(context);
  if (!pods.length || isDeepStrictEqual(pods, kept)) return [];
  return [
    '--profile has no effect: this cloud keeps the pods of the profile that it was first started ' +
      'with, even after a reset. Choose another --database for a cloud of another profile.',
  ];
}

/** The regions of the cloud's profile; empty if it has none. */
export const regionsOfProfile = async (context: Context): Promise<readonly string[]> =>
  (await podsOfProfile(context)).map(({ region }) => region);

/**
 * Registers the pods of the profile, once, so that pods that an admin deletes do not return at the
 * next start. They have the same ids after a reset. A pod that an admin has registered before for
 * one of the regions keeps its fields, and so does a central pod.
 */
export async function seedPods(context: Context): Promise<void> {
  const { db, now } = context;
  const seeds = await podsOfProfile(context);
  if (!seeds.length) return;
  await writeProfile(db, seeds);
  if ((await readSettings(db))['seeded'] === true) return;
  await writeSetting(db, 'seeded', true);
  const existing = await listPods(db);
  const isTaken = ({ region, azName }: PodSeed): boolean =>
    existing.some((pod) => pod.regionName === region || (azName === '' && pod.azName === ''));
  for (const [age, seed] of seeds.entries()) {
    if (isTaken(seed)) continue;
    const { region, azName, podAzName, dcName, tag } = seed;
    const fields = {
      id: uuidFor(`tricircle.pod.${region}`),
      regionName: region,
      azName,
      podAzName,
      dcName,
      resourceAffinityTag: tag ?? {},
      createTime: now + age,
    };
    await insertPod(db, newPod(fields));
  }
  await limitCatalogsOf(context, seeds);
  await scheduleCollection(context);
}

/** Limits the catalogs of tenants to the central region of a profile. */
async function limitCatalogsOf(context: Context, seeds: readonly PodSeed[]): Promise<void> {
  const central = seeds.find(({ azName }) => azName === '');
  if (central) await limitCatalogs(context, central.region);
}

/** Limits the catalogs of tenants again after a reset of Identity. */
export async function adaptToReset(context: Context, reset: ReadonlySet<string>): Promise<void> {
  if (reset.has('identity')) await limitCatalogsOf(context, await podsOfProfile(context));
}
