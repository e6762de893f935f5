// Compute's part of the emulator's own API: counts how many more servers fit.
import { capacityView } from '../../../emulator/capacity/report.ts';
import { emulatedNow } from '../../../kernel/clock.ts';
import { systemContext } from '../../../kernel/context.ts';
import { transact } from '../../../kernel/db/transaction.ts';
import { ok } from '../../../kernel/http/reply.ts';
import type { Call, Reply } from '../../../kernel/model.ts';
import { regionNamed } from '../../../kernel/regions.ts';
import { countServers } from '../internal.ts';
import type { GroupPolicy } from '../model.ts';

/** GET /_emulator/capacity/servers: counts how many more servers of a flavor fit. @throws 400 */
export async function servers({ cloud, query }: Call): Promise<Reply> {
  const region = regionNamed(cloud, query.last('region'));
  const now = emulatedNow((await cloud.sharedState.read()).clock);
  const most = query.last('max_server_per_host');
  const question = {
    flavor: query.last('flavor')!,
    image: query.last('image'),
    zone: query.last('zone'),
    group: query.last('group'),
    groupPolicy: query.last('group_policy') as GroupPolicy | undefined,
    maxServerPerHost: most === undefined ? undefined : Number(most),
    project: query.last('project'),
  };
  const measured = await transact(region.database.db, async (db, attempt) => {
    const context = systemContext(cloud, region, db, now, attempt);
    return countServers(context, question);
  });
  return ok({ capacity: capacityView(region.name, measured) });
}
