// Limits and registered limits in the format of the API.
import type { Limit, RegisteredLimit } from '../../model.ts';
import { linkTo, type View } from '../links.ts';
import type { Call } from '../../../../kernel/model.ts';

export const limitView = (call: Call, { registered, ...limit }: Limit): View => ({
  id: limit.id,
  project_id: limit.projectId,
  domain_id: limit.domainId,
  resource_limit: limit.resourceLimit,
  description: limit.description,
  service_id: registered.serviceId,
  region_id: registered.regionId,
  resource_name: registered.resourceName,
  links: { self: linkTo(call, `limits/${limit.id}`) },
});

export const registeredLimitView = (call: Call, limit: RegisteredLimit): View => ({
  id: limit.id,
  service_id: limit.serviceId,
  region_id: limit.regionId,
  resource_name: limit.resourceName,
  default_limit: limit.defaultLimit,
  description: limit.description,
  links: { self: linkTo(call, `registered_limits/${limit.id}`) },
});
