// The view of a binding.
import type { Binding } from '../model.ts';
import { timeView, timeViewOrNull } from './times.ts';

export const bindingView = (binding: Binding): object => ({
  id: binding.id,
  tenant_id: binding.tenantId,
  pod_id: binding.podId,
  is_binding: binding.isBinding,
  created_at: timeView(binding.createdAt),
  updated_at: timeViewOrNull(binding.updatedAt),
  start_binding_time: timeView(binding.startBindingTime),
  end_binding_time: timeViewOrNull(binding.endBindingTime),
  az_name: binding.azName,
  resource_affinity_tag: binding.resourceAffinityTag,
  start_reason: binding.startReason,
  end_reason: binding.endReason,
});
