// Handler of POST /_emulator/reset.
import { badRequest } from '../../kernel/errors.ts';
import { noContent } from '../../kernel/http/reply.ts';
import type { Call, Reply } from '../../kernel/model.ts';
import { regionNamed, syncRegions } from '../../kernel/regions.ts';
import { announceReplacement } from '../changes/follow.ts';
import { serviceNamed, sharedByRegions } from '../services.ts';
import { presetNames } from '../worlds/presets.ts';
import { resetCloud, resetToPreset } from './reset.ts';

/** POST /_emulator/reset @throws 400; 409 for a preset with other regions */
export async function create(call: Call): Promise<Reply> {
  const {
    region: regionName,
    service: serviceName,
    preset,
  } = (call.body ?? {}) as { region?: string; service?: string; preset?: string };
  const { cloud } = call;
  if (regionName !== undefined) await syncRegions(cloud);
  const region = regionName === undefined ? undefined : regionNamed(cloud, regionName);
  const service = serviceName === undefined ? undefined : serviceNamed(cloud, serviceName);
  if (region && service?.definition.database === 'central') throw sharedByRegions(serviceName!);
  await cloud.explanations.flush();
  if (preset === undefined) await resetCloud(cloud, { region, service });
  else {
    checkPreset(preset);
    if (region || service)
      throw badRequest('A preset replaces the whole cloud. Leave out region and service.');
    await resetToPreset(cloud, preset);
  }
  await announceReplacement(cloud);
  return noContent();
}

function checkPreset(preset: string): void {
  const names = presetNames();
  if (!names.includes(preset))
    throw badRequest(`There is no preset '${preset}'. Presets: ${names.join(', ')}.`);
}
