// The quotas of quota classes: show and update. Only the class `default` has an effect.
import { ok } from '../../../kernel/http/reply.ts';
import { badRequest } from '../../../kernel/errors.ts';
import type { ComputeCall } from '../call.ts';
import { atLeast } from '../domain/numbers.ts';
import { classLimitsOf, classResourcesAt, updateClassQuotas } from '../domain/quotas.ts';
import type { Reply } from '../../../kernel/model.ts';

async function view({ version, db, params }: ComputeCall): Promise<object> {
  const limits = await classLimitsOf(db, params['id']!);
  return Object.fromEntries(classResourcesAt(version).map((name) => [name, limits[name]]));
}

export async function show(call: ComputeCall): Promise<Reply> {
  return ok({ quota_class_set: { id: call.params['id'], ...(await view(call)) } });
}

export async function update(call: ComputeCall): Promise<Reply> {
  const name = call.params['id']!;
  if (name.length > 255)
    throw badRequest('Invalid input received: quota_class_name has more than 255 characters.');
  const fields = (call.body as { quota_class_set: Record<string, number | string> })
    .quota_class_set;
  const values = Object.entries(fields).map(
    ([resource, value]) => [resource, atLeast(-1, resource, value)] as const,
  );
  await updateClassQuotas(call, name, Object.fromEntries(values));
  return ok({ quota_class_set: await view(call) });
}
