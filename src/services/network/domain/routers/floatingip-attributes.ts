// The attributes of a floating IP.
import { listable, type AttributeMap } from '../attributes/definitions.ts';
import { ipAddress, orNull, uuid } from '../attributes/checks.ts';
import { id, project, qosPolicyId, standard, tags } from '../attributes/common.ts';

export const floatingipAttributes: AttributeMap = {
  resource: 'floatingip',
  collection: 'floatingips',
  attributes: {
    id,
    floating_ip_address: {
      ...listable,
      post: true,
      policy: true,
      fallback: null,
      check: orNull(ipAddress),
    },
    subnet_id: { post: true, fallback: null, visible: false, check: orNull(uuid) },
    floating_network_id: { ...listable, post: true, check: uuid },
    router_id: listable,
    port_id: { ...listable, post: true, put: true, fallback: null, check: orNull(uuid) },
    fixed_ip_address: {
      ...listable,
      post: true,
      put: true,
      fallback: null,
      check: orNull(ipAddress),
    },
    ...project,
    status: listable,
    port_details: {},
    qos_policy_id: qosPolicyId,
    port_forwardings: {},
    ...tags,
    ...standard,
  },
};
