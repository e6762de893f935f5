// Creates and ends the bindings of tenants to pods. Bindings are never deleted from the database.
import { newUuid } from '../../../kernel/ids.ts';
import type { Context } from '../../../kernel/model.ts';
import * as store from '../store/bindings.ts';
import { findPod, checkPodRevision } from '../store/pods.ts';
import { isLonger, readText, type Fields } from './fields.ts';
import type { Binding, EndReason, Pod, StartReason, Tag } from '../model.ts';
import { bare } from './errors.ts';

interface NewBinding {
  readonly tenantId: string;
  readonly pod: Pod;
  readonly startReason: StartReason;
  /** The tag and group of the request; those of the pod, if the default filters are used. */
  readonly affinity: { readonly tag: Tag; readonly group: string };
}

/**
 * Binds a tenant to a pod.
 * @throws SerializationFailure if another transaction has changed the pod, or has bound the tenant
 *   in this zone and group
 */
export async function bind(
  context: Context,
  { tenantId, pod, startReason, affinity }: NewBinding,
): Promise<Binding> {
  const binding: Omit<Binding, 'sequence'> = {
    id: newUuid(),
    tenantId,
    podId: pod.id,
    azName: pod.azName,
    affinityGroup: affinity.group,
    resourceAffinityTag: affinity.tag,
    isBinding: true,
    startBindingTime: context.now,
    endBindingTime: null,
    startReason,
    endReason: null,
    deleted: false,
    createdAt: context.now,
    updatedAt: null,
    revision: 0,
  };
  await checkPodRevision(context.db, pod);
  return store.insertBinding(context.db, binding);
}

/** Ends an active binding. @throws SerializationFailure if another transaction has changed it */
export const endBinding = (
  context: Context,
  binding: Binding,
  endReason: EndReason,
): Promise<Binding> =>
  store.updateBinding(context.db, binding, {
    ...binding,
    isBinding: false,
    endBindingTime: context.now,
    endReason,
    updatedAt: context.now,
  });

/**
 * Binds a tenant to a pod on an admin's request, and ends its previous binding in the zone and
 * group. The tenant may be bound to the same pod in other groups. Upstream has no groups, and
 * allows each pair of tenant and pod once.
 * @throws 409, 422, SerializationFailure
 */
export async function bindByAdmin(context: Context, fields: Fields): Promise<Binding> {
  const tenantId = readText(fields['tenant_id']);
  const podId = readText(fields['pod_id']);
  if (tenantId === undefined || podId === undefined || isLonger(tenantId, 255))
    throw bare(422, 'Tenant_id and pod_id can not be empty');
  const pod = await findPod(context.db, podId);
  if (!pod) throw bare(422, 'pod_id not found in pod');
  if (pod.azName === '') throw bare(422, 'Top region can not be bound');
  const active = (await store.activeBindings(context.db, tenantId, pod.affinityGroup)).filter(
    ({ azName }) => azName === pod.azName,
  );
  if (active.some((binding) => binding.podId === podId))
    throw bare(409, 'Pod binding already exists');
  for (const binding of active) await endBinding(context, binding, 'admin');
  const affinity = { tag: pod.resourceAffinityTag, group: pod.affinityGroup };
  return bind(context, { tenantId, pod, startReason: 'admin', affinity });
}

/**
 * Ends a binding on an admin's request, and removes it from the list. It stays in the history.
 * @throws SerializationFailure
 */
export async function unbindByAdmin(context: Context, binding: Binding): Promise<void> {
  const ended = binding.isBinding ? await endBinding(context, binding, 'admin') : binding;
  await store.updateBinding(context.db, ended, { ...ended, deleted: true, updatedAt: context.now });
}
