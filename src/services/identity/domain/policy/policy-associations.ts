// The rules for policy associations: the endpoints, services and regions that a policy is for.
// Upstream: endpoint_policy/core.py.
import { notFound } from '../../../../kernel/errors.ts';
import { listEndpoints } from '../../store/catalog/endpoints.ts';
import { listRegions } from '../../store/catalog/regions.ts';
import {
  associatedPolicyId,
  findPolicy,
  policyTargets,
  setAssociation,
  deleteAssociation,
} from '../../store/policy/policies.ts';
import type { CatalogRegion, Endpoint, PolicyDocument, PolicyTarget } from '../../model.ts';
import type { Context } from '../../../../kernel/model.ts';

/** Associates a policy with a target, in the place of any other. */
export const createAssociation = (
  { db }: Context,
  policyId: string,
  target: PolicyTarget,
): Promise<void> => setAssociation(db, target, policyId);

/** @throws 404 where the policy is not that of the target */
export async function checkAssociation(
  { db }: Context,
  policyId: string,
  target: PolicyTarget,
): Promise<void> {
  if ((await associatedPolicyId(db, target)) !== policyId)
    throw notFound('Could not find policy association.');
}

/** Ends an association; nothing changes where there is none. */
export const removeAssociation = (
  { db }: Context,
  policyId: string,
  target: PolicyTarget,
): Promise<void> => deleteAssociation(db, target, policyId);

/** The endpoints that a policy is for. */
export async function endpointsOfPolicy({ db }: Context, policyId: string): Promise<Endpoint[]> {
  const endpoints = await listEndpoints(db);
  const regions = await listRegions(db);
  return (await policyTargets(db, policyId)).flatMap((target) =>
    endpoints.filter((one) => matchesTarget(one, target, regions)),
  );
}

/** Whether an endpoint is in a target. A region includes those below it. */
function matchesTarget(
  endpoint: Endpoint,
  { endpointId, serviceId, regionId }: PolicyTarget,
  regions: readonly CatalogRegion[],
): boolean {
  if (endpointId !== undefined) return endpoint.id === endpointId;
  if (endpoint.serviceId !== serviceId) return false;
  return regionId === undefined || withAncestors(endpoint.regionId, regions).includes(regionId);
}

/** The region and those above it, nearest first. */
function withAncestors(id: string | null, regions: readonly CatalogRegion[]): string[] {
  if (id === null) return [];
  return [
    id,
    ...withAncestors(regions.find((region) => region.id === id)?.parentId ?? null, regions),
  ];
}

/**
 * The policy for an endpoint: its own, or that of its service in the nearest region, or that of its
 * service.
 * @throws 404
 */
export async function policyOfEndpoint(
  { db }: Context,
  endpoint: Endpoint,
): Promise<PolicyDocument> {
  const { id, serviceId } = endpoint;
  const regions = withAncestors(endpoint.regionId, await listRegions(db));
  const targets: PolicyTarget[] = [
    { endpointId: id },
    ...regions.map((regionId) => ({ serviceId, regionId })),
    { serviceId },
  ];
  for (const target of targets) {
    const policyId = await associatedPolicyId(db, target);
    const policy = policyId === undefined ? undefined : await findPolicy(db, policyId);
    if (policy) return policy;
  }
  throw notFound(`No policy is associated with endpoint ${id}.`);
}
