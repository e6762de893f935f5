// The attributes of a port binding. Upstream: neutron_lib/api/definitions/portbindings_extended.py.
import { map, oneOf, orNull, text } from '../attributes/checks.ts';
import { project } from '../attributes/common.ts';
import { unset, type AttributeMap } from '../attributes/definitions.ts';
import { vnicTypes } from './attributes.ts';

export const bindingAttributes: AttributeMap = {
  resource: 'binding',
  collection: 'bindings',
  attributes: {
    host: { post: true, put: true, filter: true, check: text(255) },
    vif_type: { filter: true },
    vif_details: {},
    vnic_type: {
      post: true,
      put: true,
      filter: true,
      fallback: 'normal',
      check: oneOf(...vnicTypes),
    },
    profile: { post: true, put: true, fallback: unset, check: orNull(map) },
    status: { filter: true },
    project_id: { post: true, check: project['project_id']!.check! },
    tenant_id: { post: true, check: project['tenant_id']!.check! },
  },
};
