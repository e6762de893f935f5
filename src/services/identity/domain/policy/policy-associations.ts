// Associations of policies with endpoints, services and regions. Upstream: endpoint_policy/core.py.
import { notFound } from '../../../../kernel/errors.ts';
import { grouped } from '../../../../kernel/db/grouping.ts';
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
  const byId = grouped(endpoints, (endpoint) => endpoint.id);
  const byService = grouped(endpoints, (endpoint) => endpoint.serviceId);
  const parents = parentsOf(await listRegions(db));
  return (await policyTargets(db, policyId)).flatMap(({ endpointId, serviceId, regionId }) => {
    if (endpointId !== undefined) return byId.get(endpointId) ?? [];
    const ofService = byService.get(serviceId ?? '') ?? [];
    if (regionId === undefined) return ofService;
    // A region includes its child regions.
    return ofService.filter((endpoint) =>
      withAncestors(endpoint.regionId, parents).includes(regionId),
    );
  });
}

/** The id of each region's parent. */
type Parents = ReadonlyMap<string, string | null>;

const parentsOf = (regions: readonly CatalogRegion[]): Parents =>
  new Map(regions.map(({ id, parentId }) => [id, parentId]));

/** A region and its ancestors, nearest first. */
function withAncestors(regionId: string | null, parents: Parents): string[] {
  const ids: string[] = [];
  for (let id = regionId; id !== null; id = parents.get(id) ?? null) ids.push(id);
  return ids;
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
  const regions = withAncestors(endpoint.regionId, parentsOf(await listRegions(db)));
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
