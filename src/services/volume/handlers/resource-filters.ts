// resource_filters: the filters of each list that are for everybody. Upstream:
// cinder/api/v3/resource_filters.py and etc/cinder/resource_filters.json.
import { ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { VolumeCall } from '../call.ts';
import {
  attachmentFields,
  messageFields,
  snapshotFields,
  volumeFields,
} from './requests/list-fields.ts';

/**
 * By resource. Those of resources that are not served are listed as well: they are upstream's
 * configuration.
 */
const filters: Readonly<Record<string, readonly string[]>> = {
  volume: volumeFields.open,
  backup: ['name', 'status', 'volume_id'],
  snapshot: snapshotFields.open,
  group: ['name'],
  group_snapshot: ['name', 'status', 'group_id'],
  attachment: attachmentFields.open,
  message: messageFields.open,
  pool: ['name', 'volume_type'],
  volume_type: ['is_public', 'extra_specs'],
};

/** GET /v3/resource_filters: of all resources, or of one, of which an unknown one has none */
export function list(call: VolumeCall): Reply {
  const asked = call.query.last('resource');
  const listed = Object.entries(filters).filter(([resource]) => !asked || resource === asked);
  return ok({
    resource_filters: listed.map(([resource, names]) => ({ resource, filters: names })),
  });
}
