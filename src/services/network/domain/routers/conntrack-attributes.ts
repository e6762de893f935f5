// The attributes of a conntrack helper. Upstream: neutron_lib/api/definitions/l3_conntrack_helper.py.
import { quoted, range, text } from '../attributes/checks.ts';
import { hiddenProject } from '../attributes/common.ts';
import { toInteger } from '../attributes/convert.ts';
import { listable, type AttributeMap } from '../attributes/definitions.ts';
import { transportProtocol } from './port-forwarding-attributes.ts';

const required = { ...listable, post: true, put: true };

export const conntrackHelperAttributes: AttributeMap = {
  resource: 'conntrack_helper',
  noun: 'router_conntrack_helper',
  collection: 'conntrack_helpers',
  bulk: false,
  attributes: {
    id: listable,
    ...hiddenProject,
    protocol: { ...required, ...transportProtocol },
    port: { ...required, convert: toInteger, check: range(1, 65535) },
    helper: { ...required, convert: quoted, check: text(64) },
  },
};
