// The handler of resource filters, which lists the filters that all callers may use. Upstream:
// cinder/api/v3/resource_filters.py and etc/cinder/resource_filters.json.
import { ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { VolumeCall } from '../call.ts';
import {
  attachmentFields,
  backupFields,
  groupFields,
  groupSnapshotFields,
  messageFields,
  snapshotFields,
  volumeFields,
} from './requests/list-fields.ts';

/** Filters by resource, as in upstream's configuration. */
const filters: Readonly<Record<string, readonly string[]>> = {
  volume: volumeFields.open,
  backup: backupFields.open,
  snapshot: snapshotFields.open,
  group: groupFields.open,
  group_snapshot: groupSnapshotFields.open,
  attachment: attachmentFields.open,
  message: messageFields.open,
  pool: ['name', 'volume_type'],
  volume_type: ['is_public', 'extra_specs'],
};

/** GET /v3/resource_filters. Lists all resources, or the one in the query if it exists. */
export function list(call: VolumeCall): Reply {
  const requested = call.query.last('resource');
  const listed = Object.entries(filters).filter(
    ([resource]) => !requested || resource === requested,
  );
  return ok({
    resource_filters: listed.map(([resource, names]) => ({ resource, filters: names })),
  });
}
