// Binding a tenant to a pod, and ending a binding. Nothing of it is forgotten.
import { newUuid } from '../../../kernel/ids.ts';
import type { Work } from '../../../kernel/model.ts';
import * as store from '../store/bindings.ts';
import { holdPod } from '../store/pods.ts';
import type { Binding, EndReason, Pod, StartReason, Tag } from './records.ts';

interface NewBinding {
  readonly tenantId: string;
  readonly pod: Pod;
  readonly startReason: StartReason;
  /** What the binding is for: with an unchanged configuration the pod's own tag. */
  readonly affinity: { readonly tag: Tag; readonly group: string };
}

/**
 * Binds a tenant to a pod from now on.
 * @throws Contention where the pod has been changed, or the tenant has been bound in this zone and group meanwhile
 */
export async function bind(work: Work, { tenantId, pod, startReason, affinity }: NewBinding): Promise<Binding> {
  const binding: Binding = {
    id: newUuid(),
    tenantId,
    podId: pod.id,
    azName: pod.azName,
    affinityGroup: affinity.group,
    resourceAffinityTag: affinity.tag,
    isBinding: true,
    startBindingTime: work.now,
    endBindingTime: null,
    startReason,
    endReason: null,
    deleted: false,
    createdAt: work.now,
    updatedAt: null,
    revision: 0,
  };
  await holdPod(work.db, pod);
  await store.insertBinding(work.db, binding);
  return binding;
}

/** Ends an active binding now. @throws Contention where it is no longer as it was read */
export const endBinding = (work: Work, binding: Binding, endReason: EndReason): Promise<Binding> =>
  store.updateBinding(work.db, binding, {
    ...binding,
    isBinding: false,
    endBindingTime: work.now,
    endReason,
    updatedAt: work.now,
  });
