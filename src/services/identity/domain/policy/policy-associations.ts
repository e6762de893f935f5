// Associations of policies with endpoints, services and regions. Upstream: endpoint_policy/core.py.
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

/** Associates a policy with a target, replacing the target's previous policy. */
export const createAssociation = (
  { db }: Context,
  policyId: string,
  target: PolicyTarget,
): Promise<void> => setAssociation(db, target, policyId);

/** @throws 404 if the target has no policy or another one */
export async function checkAssociation(
  { db }: Context,
  policyId: string,
  target: PolicyTarget,
): Promise<void> {
  if ((await associatedPolicyId(db, target)) !== policyId)
    throw notFound('Could not find policy association.');
}

/** Deletes an association, if it exists. */
export const removeAssociation = (
  { db }: Context,
  policyId: string,
  target: PolicyTarget,
): Promise<void> => deleteAssociation(db, target, policyId);

/** The endpoints that a policy applies to. */
export async function endpointsOfPolicy({ db }: Context, policyId: string): Promise<Endpoint[]> {
  const endpoints = await listEndpoints(db);
  const regions = await listRegions(db);
  return (await policyTargets(db, policyId)).flatMap((target) =>
    endpoints.filter((endpoint) => matchesTarget(endpoint, target, regions)),
  );
}

/** Whether an endpoint belongs to a target. A region includes its child regions. */
function matchesTarget(
  endpoint: Endpoint,
  { endpointId, serviceId, regionId }: PolicyTarget,
  regions: readonly CatalogRegion[],
): boolean {
  if (endpointId !== undefined) return endpoint.id === endpointId;
  if (endpoint.serviceId !== serviceId) return false;
  return regionId === undefined || withAncestors(endpoint.regionId, regions).includes(regionId);
}

/** A region and its ancestors, nearest first. */
function withAncestors(id: string | null, regions: readonly CatalogRegion[]): string[] {
  if (id === null) return [];
  return [
    id,
    ...withAncestors(regions.find((region) => region.id === id)?.parentId ?? null, regions),
  ];
}

/**
 * The policy of an endpoint: its own, or that of its service in the nearest region, or that of its
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
