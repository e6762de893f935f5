// Handler of GET /_emulator/audit.
import { emulatedNow } from '../../kernel/clock.ts';
import { ok } from '../../kernel/http/reply.ts';
import type { Call, Reply } from '../../kernel/model.ts';
import { regionNamed } from '../../kernel/regions.ts';
import { auditCloud } from './audit.ts';
import { auditView } from './report.ts';

/** GET /_emulator/audit: what is inconsistent in a region, or in all of them. @throws 400 */
export async function show({ cloud, query }: Call): Promise<Reply> {
  const name = query.last('region');
  const region = name === undefined ? undefined : regionNamed(cloud, name);
  const now = emulatedNow((await cloud.sharedState.read()).clock);
  return ok({ audit: auditView(await auditCloud(cloud, now, region)) });
}
