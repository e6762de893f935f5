// Back to a known state: all, a region, a service.
import { resetCloud } from '../../../cloud.ts';
import { emulatedNow } from '../../../kernel/clock.ts';
import { transact } from '../../../kernel/db/transaction.ts';
import { noContent, type Call, type Reply } from '../../../kernel/http/reply.ts';
import { badRequest } from '../../../kernel/fault.ts';
import { restoreProviders } from '../../compute/index.ts';

export async function create(call: Call): Promise<Reply> {
  const { region, service } = (call.body ?? {}) as { region?: string; service?: string };
  const { regions, services } = call.cloud;
  const names = services.map(({ card }) => card.name).filter((name) => name !== 'emulator');
  if (region !== undefined && !regions.has(region))
    throw badRequest(`There is no region '${region}'. Regions: ${[...regions.keys()].join(', ')}.`);
  if (service !== undefined && !names.includes(service))
    throw badRequest(`There is no service '${service}'. Services: ${names.join(', ')}.`);
  const found = services.find(({ card }) => card.name === service);
  if (region !== undefined && found?.card.home === 'central')
    throw badRequest(`${service} is the same in all regions. Leave region out.`);
  await resetCloud(call.cloud, { region: region === undefined ? undefined : regions.get(region), service: found });
  // The hosts of Compute are providers of Placement: without them nothing could be put anywhere.
  if (service === 'placement') {
    const now = emulatedNow((await call.cloud.shared.look()).clock);
    for (const one of region === undefined ? regions.values() : [regions.get(region)!])
      await transact(one.database.db, (db) => restoreProviders(db, now));
  }
  return noContent();
}
