// Automatic topologies: a project gets one when it first asks for it.
import { noContent, ok } from '../../../kernel/http/reply.ts';
import type { Call, Reply } from '../../../kernel/model.ts';
import { checkRequirements, deleteTopology, ensureTopology } from '../domain/auto-topologies.ts';
import { badResource, denied } from '../domain/refusals.ts';
import { requestedFields } from './listings.ts';
import { enforce, refuseBody } from './requests.ts';

const getRule = 'get_auto_allocated_topology';

/**
 * The project of the path; `None` is that of the caller, because clients without a project send it.
 * @throws 403 for another project
 */
function projectOf({ actor, params }: Call): string {
  const named = params['project_id']!;
  const project = named === 'None' ? (actor.projectId ?? '') : named;
  if (!actor.isAdmin && project !== actor.projectId)
    throw denied('NotAuthorized', 'Not authorized.');
  return project;
}

/**
 * GET /v2.0/auto-allocated-topology/{project_id}. With `fields=dry-run` it only checks whether the
 * project could have a topology.
 */
export async function show(call: Call): Promise<Reply> {
  const project = projectOf(call);
  const fields = requestedFields(call);
  const isDryRun = fields?.includes('dry-run') ?? false;
  if (isDryRun) await checkRequirements(call);
  else if (fields) throw badResource('auto_allocate', 'Unrecognized field');
  const id = isDryRun ? 'dry-run=pass' : (await ensureTopology(call, project)).network_id;
  enforce(call, [getRule], { project_id: project, tenant_id: project }, getRule);
  const tenant = isDryRun ? {} : { tenant_id: project };
  return ok({ auto_allocated_topology: { id, project_id: project, ...tenant } });
}

/** DELETE /v2.0/auto-allocated-topology/{project_id}. Upstream creates a missing one first. */
export async function remove(call: Call): Promise<Reply> {
  refuseBody(call);
  const project = projectOf(call);
  const topology = await ensureTopology(call, project);
  const target = { project_id: project, tenant_id: project };
  enforce(call, ['delete_auto_allocated_topology'], target, getRule);
  await deleteTopology(call, topology);
  return noContent();
}
