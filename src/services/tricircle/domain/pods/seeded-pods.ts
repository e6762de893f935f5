// The pods of a profile, which a new cloud has from the beginning.
import { uuidFor } from '../../../../kernel/ids.ts';
import type { PodSeed } from '../../../../kernel/settings.ts';
import type { Work } from '../../../../kernel/model.ts';
import { insertPod } from '../../store/pods.ts';
import { readSettings, writeSetting } from '../../store/settings.ts';
import type { Pod } from '../records.ts';
import { groupOf } from '../tags.ts';
import { scheduleCollection } from '../usages.ts';

/** Registers the pods of a profile, once: those that an admin deletes do not come back. They keep their ids over a reset. */
export async function seedPods(work: Work, seeds: readonly PodSeed[]): Promise<void> {
  if (!seeds.length || (await readSettings(work.db))['seeded'] === true) return;
  await writeSetting(work.db, 'seeded', true);
  for (const [age, seed] of seeds.entries()) await insertPod(work.db, podOf(seed, work.now + age));
  await scheduleCollection(work);
}

const podOf = ({ region, azName, podAzName, dcName, tag }: PodSeed, createTime: number): Pod => ({
  id: uuidFor(`tricircle.pod.${region}`),
  regionName: region,
  azName,
  podAzName,
  dcName,
  resourceAffinityTag: tag ?? {},
  affinityGroup: groupOf(tag ?? {}),
  isUnderMaintenance: false,
  createTime,
  weight: null,
  thresholdPercent: null,
  headroom: null,
  revision: 0,
});
