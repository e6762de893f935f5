// Associations of policies with endpoints, services and regions. Upstream: keystone/api/policy.py
// and endpoint_policy/core.py.
import { noContent, ok } from '../../../../kernel/http/reply.ts';
import {
  checkAssociation,
  createAssociation,
  endpointsOfPolicy,
  policyOfEndpoint,
  removeAssociation,
} from '../../domain/policy/policy-associations.ts';
import type { PolicyDocument, PolicyTarget } from '../../model.ts';
import { found } from '../../domain/refusals.ts';
import { findEndpoint } from '../../store/catalog/endpoints.ts';
import { findRegion } from '../../store/catalog/regions.ts';
import { findService } from '../../store/catalog/services.ts';
import { findPolicy } from '../../store/policy/policies.ts';
import { endpointView } from '../../views/catalog/endpoints.ts';
import { wrapped } from '../../views/links.ts';
import { policyView } from '../../views/policy/policies.ts';
import { enforce } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** PUT …/OS-ENDPOINT-POLICY/… */
export async function create(call: Call): Promise<Reply> {
  const { policy, target } = await association(call, 'create');
  await createAssociation(call, policy.id, target);
  return noContent();
}

/** GET …/OS-ENDPOINT-POLICY/… */
export async function check(call: Call): Promise<Reply> {
  const { policy, target } = await association(call, 'check');
  await checkAssociation(call, policy.id, target);
  return noContent();
}

/** DELETE …/OS-ENDPOINT-POLICY/…; 204 even if the association does not exist. */
export async function remove(call: Call): Promise<Reply> {
  const { policy, target } = await association(call, 'delete');
  await removeAssociation(call, policy.id, target);
  return noContent();
}

async function association(
  call: Call,
  verb: string,
): Promise<{ policy: PolicyDocument; target: PolicyTarget }> {
  const { endpoint_id: endpointId, service_id: serviceId, region_id: regionId } = call.params;
  const type =
    endpointId === undefined
      ? regionId === undefined
        ? 'service'
        : 'region_and_service'
      : 'endpoint';
  enforce(call, `${verb}_policy_association_for_${type}`);
  const policy = await policyOf(call);
  if (endpointId !== undefined)
    found(await findEndpoint(call.db, endpointId), 'endpoint', endpointId);
  if (serviceId !== undefined) found(await findService(call.db, serviceId), 'service', serviceId);
  if (regionId !== undefined) found(await findRegion(call.db, regionId), 'region', regionId);
  const target = {
    ...(endpointId === undefined ? {} : { endpointId }),
    ...(serviceId === undefined ? {} : { serviceId }),
    ...(regionId === undefined ? {} : { regionId }),
  };
  return { policy, target };
}

async function policyOf(call: Call): Promise<PolicyDocument> {
  const id = call.params['policy_id']!;
  return found(await findPolicy(call.db, id), 'policy', id);
}

/** GET /v3/policies/{policy_id}/OS-ENDPOINT-POLICY/endpoints */
export async function listEndpointsOf(call: Call): Promise<Reply> {
  enforce(call, 'list_endpoints_for_policy');
  const endpoints = await endpointsOfPolicy(call, (await policyOf(call)).id);
  // Upstream omits `region` here.
  const views = endpoints.map((endpoint) => ({
    ...endpointView(call, endpoint),
    region: undefined,
  }));
  return ok(wrapped(call, 'endpoints', views));
}

/** GET /v3/endpoints/{endpoint_id}/OS-ENDPOINT-POLICY/policy */
export async function showOfEndpoint(call: Call): Promise<Reply> {
  enforce(call, 'get_policy_for_endpoint');
  const id = call.params['endpoint_id']!;
  const endpoint = found(await findEndpoint(call.db, id), 'endpoint', id);
  return ok({ policy: policyView(call, await policyOfEndpoint(call, endpoint), 'endpoints') });
}
