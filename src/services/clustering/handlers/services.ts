// The processes of Clustering, as upstream lists them.
import { isoSeconds } from '../../../kernel/clock.ts';
import { ok } from '../../../kernel/http/reply.ts';
import { uuidFor } from '../../../kernel/ids.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ClusteringCall } from '../call.ts';
import { engineId } from '../domain/engine/engine.ts';

/** GET /v1/services */
export function list(call: ClusteringCall): Reply {
  const updated_at = isoSeconds(call.now).slice(0, -1);
  const services = ['senlin-conductor', 'senlin-engine', 'senlin-health-manager'].map((binary) => ({
    id:
      binary === 'senlin-engine'
        ? engineId(call)
        : uuidFor(`clustering.${binary}.${call.region.name}`),
    host: 'controller',
    binary,
    topic: binary,
    disabled_reason: null,
    status: 'enabled',
    state: 'up',
    updated_at,
  }));
  return ok({ services });
}
