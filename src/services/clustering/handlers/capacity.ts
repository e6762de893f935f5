// Clustering's part of the emulator's own API: counts how many more nodes fit.
import { capacityView } from '../../../emulator/capacity/report.ts';
import { emulatedNow } from '../../../kernel/clock.ts';
import { systemContext } from '../../../kernel/context.ts';
import { transact } from '../../../kernel/db/transaction.ts';
import { ok } from '../../../kernel/http/reply.ts';
import type { Call, Reply } from '../../../kernel/model.ts';
import { regionNamed } from '../../../kernel/regions.ts';
import { countNodes } from '../domain/profiles/capacity.ts';

/** GET /_emulator/capacity/nodes: counts how many more nodes of a profile fit. @throws 400, 404 */
export async function nodes({ cloud, query }: Call): Promise<Reply> {
  const region = regionNamed(cloud, query.last('region'));
  const now = emulatedNow((await cloud.sharedState.read()).clock);
  const measured = await transact(region.database.db, (db, attempt) =>
    countNodes(systemContext(cloud, region, db, now, attempt), query.last('profile')!),
  );
  return ok({ capacity: capacityView(region.name, measured) });
}
