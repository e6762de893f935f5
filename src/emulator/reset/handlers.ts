// Reset of the cloud, of a region, or of a service.
import { badRequest } from '../../kernel/errors.ts';
import { noContent } from '../../kernel/http/reply.ts';
import type { Call, Reply } from '../../kernel/model.ts';
import { regionNamed, syncRegions } from '../../kernel/regions.ts';
import { resetCloud, serviceNamed } from './reset.ts';

/** POST /_emulator/reset @throws 400 */
export async function create(call: Call): Promise<Reply> {
  const { region, service } = (call.body ?? {}) as { region?: string; service?: string };
  const { cloud } = call;
  await syncRegions(cloud);
  const where = region === undefined ? undefined : regionNamed(cloud, region);
  const found = service === undefined ? undefined : serviceNamed(cloud, service);
  if (where && found?.definition.database === 'central')
    throw badRequest(`${service} is the same in all regions. Leave region out.`);
  await resetCloud(cloud, { region: where, service: found });
  return noContent();
}
