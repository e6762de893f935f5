// What is kept of every reply: a line in the log, and a count for Prometheus. They are hooks after a request.
import type { Call, Reply } from '../model.ts';

/** Writes the line of a request. */
export function logRequest(call: Call, reply: Reply, milliseconds: number): void {
  const { log } = call.cloud;
  if (!log.isLevelEnabled('info')) return;
  const { requestId, method, prefix, path, region, service, at, caller } = call;
  const line = {
    request: requestId,
    region: region.name,
    service: service?.card.name,
    version: at?.name,
    user: caller?.userName ?? caller?.userId,
    project: caller?.projectId,
  };
  log.info({ ...line, status: reply.status, ms: Math.round(milliseconds * 100) / 100 }, `${method} ${prefix}${path}`);
}

/** Counts a request. */
export function countRequest(call: Call, reply: Reply, milliseconds: number): void {
  const service = call.service?.card.name ?? 'none';
  const operation = call.operation?.id ?? 'unknown';
  call.cloud.metrics.count({ service, region: call.region.name, operation, status: String(reply.status) }, milliseconds);
}
