// Reset of the cloud, of a region, or of a service.
import { badRequest } from '../../../kernel/fault.ts';
import { noContent } from '../../../kernel/http/reply.ts';
import type { Call, Reply } from '../../../kernel/model.ts';
import { regionNamed, syncRegions } from '../../../kernel/powers/regions.ts';
import { resetCloud } from '../../../kernel/powers/reset.ts';

/** POST /_emulator/reset @throws 400 */
export async function create(call: Call): Promise<Reply> {
  const { region, service } = (call.body ?? {}) as { region?: string; service?: string };
  const { cloud } = call;
  await syncRegions(cloud);
  const resettable = cloud.services.filter(({ card }) => card.home !== 'process' && card.api === undefined);
  const names = resettable.map(({ card }) => card.name);
  const found = resettable.find(({ card }) => card.name === service);
  const where = region === undefined ? undefined : regionNamed(cloud, region);
  if (service !== undefined && !found) throw badRequest(`There is no service '${service}'. Services: ${names.join(', ')}.`);
  if (where && found?.card.home === 'central') throw badRequest(`${service} is the same in all regions. Leave region out.`);
  await resetCloud(cloud, { region: where, service: found });
  return noContent();
}
