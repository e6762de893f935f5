// The attributes of a trunk. Upstream: neutron_lib/api/definitions/trunk.py.
import { uuid } from '../attributes/checks.ts';
import { adminStateUp, id, name, project, standard, tags } from '../attributes/common.ts';
import { listable, type AttributeMap } from '../attributes/definitions.ts';
import { requestedSubPorts } from './requested-subports.ts';

export const trunkAttributes: AttributeMap = {
  resource: 'trunk',
  collection: 'trunks',
  attributes: {
    admin_state_up: adminStateUp,
    id,
    name,
    ...project,
    port_id: { ...listable, post: true, check: uuid },
    status: listable,
    sub_ports: { post: true, policy: true, fallback: [], check: requestedSubPorts },
    ...tags,
    ...standard,
  },
};
