// Handler of POST /_emulator/reset.
import { noContent } from '../../kernel/http/reply.ts';
import type { Call, Reply } from '../../kernel/model.ts';
import { regionNamed, syncRegions } from '../../kernel/regions.ts';
import { announceReplacement } from '../changes/follow.ts';
import { serviceNamed, sharedByRegions } from '../services.ts';
import { resetCloud } from './reset.ts';

/** POST /_emulator/reset @throws 400 */
export async function create(call: Call): Promise<Reply> {
  const { region: regionName, service: serviceName } = (call.body ?? {}) as {
    region?: string;
    service?: string;
  };
  const { cloud } = call;
  if (regionName !== undefined) await syncRegions(cloud);
  const region = regionName === undefined ? undefined : regionNamed(cloud, regionName);
  const service = serviceName === undefined ? undefined : serviceNamed(cloud, serviceName);
  if (region && service?.definition.database === 'central') throw sharedByRegions(serviceName!);
  await resetCloud(cloud, { region, service });
  await announceReplacement(cloud);
  return noContent();
}
