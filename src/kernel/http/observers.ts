// What is kept of every reply: a line in the log, and a count for Prometheus. Each sees the reply
// of every request.
import type { Call, Reply, RequestSource } from '../model.ts';
import { actionNameOf } from './actions.ts';
import { secretsIn, withoutSecretValues, withoutSecrets } from '../redaction.ts';

/**
 * The longest query and the longest reason that a line has: a schema's refusal quotes what it
 * refuses.
 */
const LONGEST = 500;

/** Calls between services are part of the request or job that makes them. */
const isCounted = (source: RequestSource): boolean => source === 'client' || source === 'forwarded';

/**
 * Writes the line of a request: whose it was, what it asked for with the query and the action, and
 * of a refusal the reason.
 */
export function logRequest(
  call: Call,
  reply: Reply,
  milliseconds: number,
  source: RequestSource,
): void {
  const { log } = call.cloud;
  if (!isCounted(source) || !log.isLevelEnabled('info')) return;
  const { requestId, method, prefix, path, query, region, service, version, caller } = call;
  const line = {
    request: requestId,
    region: region.name,
    service: service?.definition.name,
    version: version?.name,
    user: caller?.userName ?? caller?.userId,
    project: caller?.projectId,
    action: actionNameOf(call),
    ...call.logFields,
  };
  const reason =
    reply.status < 400
      ? undefined
      : cut(withoutSecrets(reasonOf(reply.body), secretsIn(call.body)));
  const asked = query.text === '' ? '' : `?${cut(withoutSecretValues(query.text))}`;
  log.info(
    { ...line, status: reply.status, reason, ms: Math.round(milliseconds * 100) / 100 },
    `${method} ${prefix}${path}${asked}`,
  );
}

/**
 * What a refusal tells the client: in each service's error format it is the first text with one of
 * these names, or the whole text.
 */
function reasonOf(body: unknown): string {
  if (typeof body === 'string')
    return body
      .replaceAll(/<[^<>]{0,100}>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim();
  if (typeof body !== 'object' || body === null || Buffer.isBuffer(body)) return '';
  for (const [name, value] of Object.entries(body)) {
    const found =
      reasons.has(name) && typeof value === 'string'
        ? value
        : reasonOf(typeof value === 'object' ? value : undefined);
    if (found !== '') return found;
  }
  return '';
}

const reasons: ReadonlySet<string> = new Set(['message', 'detail', 'error_message']);

const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

/** Counts a request. */
export function countRequest(
  call: Call,
  reply: Reply,
  milliseconds: number,
  source: RequestSource,
): void {
  if (!isCounted(source)) return;
  const service = call.service?.definition.name ?? 'none';
  const operation = call.operation?.id ?? 'unknown';
  call.cloud.metrics.count(
    { service, region: call.region.name, operation, status: String(reply.status) },
    milliseconds,
  );
}
