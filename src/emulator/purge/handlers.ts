// Purging on demand what is kept of what is no more.
import { emulatedNow, SECOND } from '../../kernel/clock.ts';
import { ok } from '../../kernel/http/reply.ts';
import type { Call, Reply } from '../../kernel/model.ts';
import { purgeCloud } from './purge.ts';
import { regionNamed } from '../../kernel/regions.ts';

/** POST /_emulator/purge @throws 400 */
export async function create(call: Call): Promise<Reply> {
  const { region, older_than_seconds: age = 0 } = (call.body ?? {}) as {
    region?: string;
    older_than_seconds?: number;
  };
  const { cloud } = call;
  const now = emulatedNow((await cloud.sharedState.refresh()).clock);
  const where = region === undefined ? undefined : regionNamed(cloud, region);
  return ok({ purged: await purgeCloud(cloud, now, now - Math.round(age * SECOND) + 1, where) });
}
