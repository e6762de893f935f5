// The attributes of a segment. Upstream: neutron_lib/api/definitions/segment.py.
import { orNull, text, uuid } from '../attributes/checks.ts';
import { hiddenProject, id, standard } from '../attributes/common.ts';
import { toInteger } from '../attributes/convert.ts';
import { listable, unset, type AttributeMap } from '../attributes/definitions.ts';

export const segmentAttributes: AttributeMap = {
  resource: 'segment',
  collection: 'segments',
  attributes: {
    id,
    ...hiddenProject,
    network_id: { ...listable, post: true, check: uuid },
    physical_network: { ...listable, post: true, fallback: unset, check: text(64) },
    network_type: { ...listable, post: true, check: text(32) },
    segmentation_id: { sort: true, post: true, fallback: unset, convert: toInteger },
    name: { ...listable, post: true, put: true, fallback: unset, check: orNull(text(255)) },
    ...standard,
  },
};
