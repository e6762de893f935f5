// Reservation's part of the emulator's own API: counts how many more leases fit.
import { capacityView } from '../../../emulator/capacity/report.ts';
import { emulatedNow } from '../../../kernel/clock.ts';
import { systemContext } from '../../../kernel/context.ts';
import { transact } from '../../../kernel/db/transaction.ts';
import { ok } from '../../../kernel/http/reply.ts';
import type { Call, Reply } from '../../../kernel/model.ts';
import { regionNamed } from '../../../kernel/regions.ts';
import { asService } from '../clients/identity.ts';
import { countLeases } from '../domain/capacity/count.ts';
import { wantedIn } from '../domain/capacity/question.ts';

/** GET /_emulator/capacity/leases: counts how many more leases of hosts or instances fit. @throws 400 */
export async function leases({ cloud, query }: Call): Promise<Reply> {
  const region = regionNamed(cloud, query.last('region'));
  const now = emulatedNow((await cloud.sharedState.read()).clock);
  const number = (name: string): number | undefined => {
    const value = query.last(name);
    return value === undefined ? undefined : Number(value);
  };
  const affinity = query.last('affinity');
  const question = {
    hosts: number('hosts'),
    instances: number('instances'),
    flavor: query.last('flavor'),
    vcpus: number('vcpus'),
    memoryMb: number('memory_mb'),
    diskGb: number('disk_gb'),
    affinity: affinity === undefined ? undefined : affinity === 'true',
    properties: query.last('properties'),
    start: query.last('start'),
    for: query.last('for'),
  };
  const measured = await transact(region.database.db, async (db, attempt) => {
    const context = asService(systemContext(cloud, region, db, now, attempt));
    return countLeases(context, await wantedIn(context, question));
  });
  return ok({ capacity: capacityView(region.name, measured) });
}
