// Handler of POST /_emulator/purge.
import { emulatedNow, SECOND } from '../../kernel/clock.ts';
import { ok } from '../../kernel/http/reply.ts';
import type { Call, Reply } from '../../kernel/model.ts';
import { regionNamed } from '../../kernel/regions.ts';
import { purgeCloud } from './purge.ts';

/** POST /_emulator/purge @throws 400 */
export async function create(call: Call): Promise<Reply> {
  const { region: regionName, older_than_seconds: age = 0 } = (call.body ?? {}) as {
    region?: string;
    older_than_seconds?: number;
  };
  const { cloud } = call;
  const now = emulatedNow((await cloud.sharedState.refresh()).clock);
  const region = regionName === undefined ? undefined : regionNamed(cloud, regionName);
  return ok({ purged: await purgeCloud(cloud, now, now - Math.round(age * SECOND) + 1, region) });
}
