// Binding a tenant to a pod, and ending a binding. Nothing of it is forgotten.
import { newUuid } from '../../../kernel/ids.ts';
import type { Context } from '../../../kernel/model.ts';
import * as store from '../store/bindings.ts';
import { findPod, checkPodRevision } from '../store/pods.ts';
import { isLonger, textOf, type Fields } from './fields.ts';
import type { Binding, EndReason, Pod, StartReason, Tag } from '../model.ts';
import { bare } from './refusals.ts';

interface NewBinding {
  readonly tenantId: string;
  readonly pod: Pod;
  readonly startReason: StartReason;
  /** What the binding is for: with an unchanged configuration the pod's own tag. */
  readonly affinity: { readonly tag: Tag; readonly group: string };
}

/**
 * Binds a tenant to a pod from now on.
 * @throws Contention where the pod has been changed, or the tenant has been bound in this zone and
 *   group meanwhile
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

/** Ends an active binding now. @throws Contention where it is no longer as it was read */
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
 * Binds a tenant by an admin's word: what it was bound to in the zone and the group before is
 * ended.
 * @throws 409, 422; Contention
 */
export async function bindByAdmin(context: Context, fields: Fields): Promise<Binding> {
  const tenantId = textOf(fields['tenant_id']);
  const podId = textOf(fields['pod_id']);
  if (tenantId === undefined || podId === undefined || isLonger(tenantId, 255))
    throw bare(422, 'Tenant_id and pod_id can not be empty');
  const pod = await findPod(context.db, podId);
  if (!pod) throw bare(422, 'pod_id not found in pod');
  if (pod.azName === '') throw bare(422, 'Top region can not be bound');
  const [same] = await store.listBindings(context.db, {
    tenantId,
    podId,
    isBinding: true,
    limit: 1,
  });
  if (same) throw bare(409, 'Pod binding already exists');
  const active = await store.activeBindings(context.db, tenantId, pod.affinityGroup);
  for (const binding of active)
    if (binding.azName === pod.azName) await endBinding(context, binding, 'admin');
  const affinity = { tag: pod.resourceAffinityTag, group: pod.affinityGroup };
  return bind(context, { tenantId, pod, startReason: 'admin', affinity });
}

/**
 * Takes a binding out of the list by an admin's word, and ends it. It stays in the history.
 * @throws Contention
 */
export async function unbindByAdmin(context: Context, binding: Binding): Promise<void> {
  const ended = binding.isBinding ? await endBinding(context, binding, 'admin') : binding;
  await store.updateBinding(context.db, ended, { ...ended, deleted: true, updatedAt: context.now });
}
