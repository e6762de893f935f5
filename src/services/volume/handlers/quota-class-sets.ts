// Quota classes: the limits of projects that have none of their own. Upstream: cinder/api/contrib/quota_classes.py.
import { ok } from '../../../kernel/http/reply.ts';
import { defaultLimits } from '../domain/quotas.ts';
import { invalidInput } from '../domain/refusals.ts';
import { classLimits, writeClassLimit } from '../store/quotas.ts';
import { allow, bodyOf } from './requests.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { VolumeCall } from '../call.ts';

/** The limits of the class, the usual ones where it has none. */
async function limits(call: VolumeCall, name: string): Promise<Record<string, number>> {
  const all = await defaultLimits(call.db);
  for (const [resource, limit] of await classLimits(call.db, name)) if (all.has(resource)) all.set(resource, limit);
  return Object.fromEntries(all);
}

/** GET /v3/os-quota-class-sets/{class_name} */
export async function show(call: VolumeCall): Promise<Reply> {
  const name = call.params['class_name']!;
  allow(call, 'volume_extension:quota_classes:get');
  return ok({ quota_class_set: { ...(await limits(call, name)), id: name } });
}

/** PUT /v3/os-quota-class-sets/{class_name} */
export async function update(call: VolumeCall): Promise<Reply> {
  const name = call.params['class_name']!;
  const given = Object.entries(bodyOf(call, 'quota_class_set'));
  const known = await defaultLimits(call.db);
  const unknown = given.map(([resource]) => resource).filter((resource) => !known.has(resource));
  if (unknown.length) throw invalidInput(`Bad key(s) in quota class set: ${unknown.join(', ')}`);
  allow(call, 'volume_extension:quota_classes:update');
  if (name.length > 255) throw invalidInput('quota_class_name has more than 255 characters.');
  for (const [resource, limit] of given) await writeClassLimit(call.db, name, resource, Number(limit));
  return ok({ quota_class_set: await limits(call, name) });
}
