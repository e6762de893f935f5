// The projects that may use a private flavor: list, add and remove.
import { ok } from '../../../../kernel/http/reply.ts';
import { conflict, notFound } from '../../../../kernel/errors.ts';
import { authorize } from '../../../../kernel/http/steps.ts';
import type { ComputeCall } from '../../call.ts';
import { addAccess, flavorOf, removeAccess } from '../../domain/flavors.ts';
import { listAccess } from '../../store/flavors.ts';
import { argumentsOf } from '../action-body.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { Flavor } from '../../model.ts';

export async function list(call: ComputeCall): Promise<Reply> {
  const flavor = await flavorOf(call.db, call.params['flavor_id']!);
  if (flavor.isPublic) throw notFound('Access list not available for public flavors.');
  return accessReply(call, flavor);
}

async function accessReply(call: ComputeCall, { id, flavorid }: Flavor): Promise<Reply> {
  const projects = await listAccess(call.db, id);
  return ok({
    flavor_access: projects.map((project) => ({ flavor_id: flavorid, tenant_id: project })),
  });
}

/** Adds a project. Upstream also verifies it with Keystone, if it has the right to. */
export async function add(call: ComputeCall): Promise<Reply> {
  authorize(call, 'os_compute_api:os-flavor-access:add_tenant_access', {});
  const { tenant } = argumentsOf<{ tenant: string }>(call, 'addTenantAccess');
  const flavor = await flavorOf(call.db, call.params['id']!);
  if (call.version.has('2.7') && flavor.isPublic)
    throw conflict('Can not add access to a public flavor.');
  await addAccess(call, flavor, tenant);
  return accessReply(call, flavor);
}

export async function remove(call: ComputeCall): Promise<Reply> {
  authorize(call, 'os_compute_api:os-flavor-access:remove_tenant_access', {});
  const { tenant } = argumentsOf<{ tenant: string }>(call, 'removeTenantAccess');
  const flavor = await flavorOf(call.db, call.params['id']!);
  await removeAccess(call, flavor, tenant);
  return accessReply(call, flavor);
}
