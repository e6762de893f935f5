// The handlers of quota classes. The class `default` has the limits of projects without limits of
// their own. Upstream: cinder/api/contrib/quota_classes.py.
import { ok } from '../../../../kernel/http/reply.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { VolumeCall } from '../../call.ts';
import { invalidInput } from '../../domain/errors.ts';
import { changeClassLimits, defaultLimits, limitsOfClass } from '../../domain/quotas.ts';
import { authorize } from '../../policy.ts';
import { bodyOf } from '../requests/body.ts';

/** GET /v3/os-quota-class-sets/{class_name} */
export async function show(call: VolumeCall): Promise<Reply> {
  const name = call.params['class_name']!;
  authorize(call, 'volume_extension:quota_classes:get');
  return ok({
    quota_class_set: { ...Object.fromEntries(await limitsOfClass(call, name)), id: name },
  });
}

/** PUT /v3/os-quota-class-sets/{class_name} */
export async function update(call: VolumeCall): Promise<Reply> {
  const name = call.params['class_name']!;
  const limits = Object.entries(bodyOf(call, 'quota_class_set')).map(
    ([resource, limit]) => [resource, Number(limit)] as const,
  );
  const defaults = await defaultLimits(call);
  const unknown = limits
    .map(([resource]) => resource)
    .filter((resource) => !defaults.has(resource));
  if (unknown.length) throw invalidInput(`Bad key(s) in quota class set: ${unknown.join(', ')}`);
  authorize(call, 'volume_extension:quota_classes:update');
  await changeClassLimits(call, name, limits);
  return ok({ quota_class_set: Object.fromEntries(await limitsOfClass(call, name)) });
}
