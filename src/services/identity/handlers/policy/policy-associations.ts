// Which endpoints, services and regions a policy is for. Upstream: keystone/api/policy.py and endpoint_policy/core.py.
import { noContent, ok } from '../../../../kernel/http/reply.ts';
import { notFound } from '../../../../kernel/fault.ts';
import type { CatalogRegion, Endpoint, PolicyDocument, PolicyPlace } from '../../domain/records.ts';
import { found } from '../../domain/refusals.ts';
import { findEndpoint, findRegion, findService, listEndpoints, listRegions } from '../../store/catalog/catalog.ts';
import { findPolicy, placesOf, policyIdOf, setPolicyOf, unsetPolicyOf } from '../../store/policy/policies.ts';
import { endpointView } from '../../views/catalog/catalog.ts';
import { wrapped } from '../../views/links.ts';
import { policyView } from './policies.ts';
import { allow } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** PUT …/OS-ENDPOINT-POLICY/…; whatever policy was for the same before no longer is. */
export async function create(call: Call): Promise<Reply> {
  const { policy, place } = await ends(call, 'create');
  await setPolicyOf(call.db, place, policy.id);
  return noContent();
}

/** GET …/OS-ENDPOINT-POLICY/… */
export async function check(call: Call): Promise<Reply> {
  const { policy, place } = await ends(call, 'check');
  if ((await policyIdOf(call.db, place)) !== policy.id) throw notFound('Could not find policy association.');
  return noContent();
}

/** DELETE …/OS-ENDPOINT-POLICY/…; also where there is none. */
export async function remove(call: Call): Promise<Reply> {
  const { policy, place } = await ends(call, 'delete');
  await unsetPolicyOf(call.db, place, policy.id);
  return noContent();
}

async function ends(call: Call, verb: string): Promise<{ policy: PolicyDocument; place: PolicyPlace }> {
  const { endpoint_id: endpointId, service_id: serviceId, region_id: regionId } = call.params;
  const kind = endpointId === undefined ? (regionId === undefined ? 'service' : 'region_and_service') : 'endpoint';
  allow(call, `${verb}_policy_association_for_${kind}`);
  const policy = await policyOf(call);
  if (endpointId !== undefined) found(await findEndpoint(call.db, endpointId), 'endpoint', endpointId);
  if (serviceId !== undefined) found(await findService(call.db, serviceId), 'service', serviceId);
  if (regionId !== undefined) found(await findRegion(call.db, regionId), 'region', regionId);
  const place = {
    ...(endpointId === undefined ? {} : { endpointId }),
    ...(serviceId === undefined ? {} : { serviceId }),
    ...(regionId === undefined ? {} : { regionId }),
  };
  return { policy, place };
}

async function policyOf(call: Call): Promise<PolicyDocument> {
  const id = call.params['policy_id']!;
  return found(await findPolicy(call.db, id), 'policy', id);
}

/** GET /v3/policies/{policy_id}/OS-ENDPOINT-POLICY/endpoints */
export async function listEndpointsOf(call: Call): Promise<Reply> {
  allow(call, 'list_endpoints_for_policy');
  const policy = await policyOf(call);
  const endpoints = await listEndpoints(call.db);
  const regions = await listRegions(call.db);
  const shown = (await placesOf(call.db, policy.id)).flatMap((place) => endpoints.filter((one) => isIn(one, place, regions)));
  // Upstream repeats no `region` here.
  const views = shown.map((endpoint) => ({ ...endpointView(call, endpoint), region: undefined }));
  return ok(wrapped(call, 'endpoints', views));
}

/** A region counts with those below it. */
function isIn(endpoint: Endpoint, { endpointId, serviceId, regionId }: PolicyPlace, regions: readonly CatalogRegion[]): boolean {
  if (endpointId !== undefined) return endpoint.id === endpointId;
  if (endpoint.serviceId !== serviceId) return false;
  return regionId === undefined || above(endpoint.regionId, regions).includes(regionId);
}

/** The region and those above it, nearest first. */
function above(id: string | null, regions: readonly CatalogRegion[]): string[] {
  if (id === null) return [];
  return [id, ...above(regions.find((region) => region.id === id)?.parentId ?? null, regions)];
}

/** GET /v3/endpoints/{endpoint_id}/OS-ENDPOINT-POLICY/policy: that of the endpoint, or of its service in the nearest region, or of its service. */
export async function showOfEndpoint(call: Call): Promise<Reply> {
  allow(call, 'get_policy_for_endpoint');
  const id = call.params['endpoint_id']!;
  const endpoint = found(await findEndpoint(call.db, id), 'endpoint', id);
  const { serviceId } = endpoint;
  const regions = above(endpoint.regionId, await listRegions(call.db));
  const places: PolicyPlace[] = [{ endpointId: id }, ...regions.map((regionId) => ({ serviceId, regionId })), { serviceId }];
  for (const place of places) {
    const policyId = await policyIdOf(call.db, place);
    const policy = policyId === undefined ? undefined : await findPolicy(call.db, policyId);
    if (policy) return ok({ policy: policyView(call, policy, 'endpoints') });
  }
  throw notFound(`No policy is associated with endpoint ${id}.`);
}
