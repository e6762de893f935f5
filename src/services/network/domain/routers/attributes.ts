// The attributes of a router.
import type { AttributeMap } from '../attributes/definitions.ts';
import { fieldsOf, fixedIps, hostRoutes, orNull, uuid, type Check } from '../attributes/checks.ts';
import { nullToEmptyList, toBoolean } from '../attributes/convert.ts';
import { adminStateUp, id, name, project, standard, tags, zones } from '../attributes/common.ts';

const anything: Check = () => undefined;

const gatewayFields = fieldsOf({
  '!network_id': uuid,
  external_fixed_ips: fixedIps,
  enable_snat: anything,
  qos_policy_id: orNull(uuid),
});

/** Null and an empty object clear the gateway. */
const gateway: Check = (value) =>
  value === null || (typeof value === 'object' && Object.keys(value as object).length === 0)
    ? undefined
    : gatewayFields(value);

/** Converts `enable_snat` of the gateway to a boolean. */
function withSnat(value: unknown): unknown {
  if (
    typeof value !== 'object' ||
    value === null ||
    Array.isArray(value) ||
    !('enable_snat' in value)
  )
    return value;
  return { ...value, enable_snat: toBoolean(value.enable_snat) };
}

export const routerAttributes: AttributeMap = {
  resource: 'router',
  collection: 'routers',
  attributes: {
    id,
    name,
    admin_state_up: adminStateUp,
    status: { sort: true },
    ...project,
    external_gateway_info: {
      post: true,
      put: true,
      policy: true,
      fallback: null,
      convert: withSnat,
      check: gateway,
    },
    routes: { put: true, convert: nullToEmptyList, check: hostRoutes },
    conntrack_helpers: {},
    ...zones,
    ...tags,
    ...standard,
  },
};
