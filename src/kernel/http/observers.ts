// The kernel's observers of replies: the log of requests, and the metrics for Prometheus.
import type { IncomingRequest, Reply, RequestSource } from '../model.ts';
import { actionNameOf } from './actions.ts';
import { secretsOf, withoutSecrets } from '../redaction/request.ts';
import { redactPath, redactQuery } from '../redaction/texts.ts';

/**
 * The maximum length of a query and of an error message in the log. Messages may quote long bodies.
 */
const maxLength = 500;

/** Calls between services are part of the request or job that makes them. */
const isCounted = (source: RequestSource): boolean => source === 'client' || source === 'forwarded';

/**
 * Logs a request: the caller, the path with query and action, the status, and the message of an
 * error.
 */
export function logRequest(
  request: IncomingRequest,
  reply: Reply,
  milliseconds: number,
  source: RequestSource,
): void {
  const { log } = request.cloud;
  if (!isCounted(source) || !log.isLevelEnabled('info')) return;
  const { requestId, method, prefix, path, query, region, service, version, caller } = request;
  const line = {
    request: requestId,
    region: region.name,
    service: service?.definition.name,
    version: version?.name,
    user: caller?.userName ?? caller?.userId,
    project: caller?.projectId,
    action: actionNameOf(request),
    ...request.logFields,
  };
  const reason =
    reply.status < 400 ? undefined : cut(withoutSecrets(reasonOf(reply.body), secretsOf(request)));
  const search = query.text === '' ? '' : `?${cut(redactQuery(query.text))}`;
  log.info(
    { ...line, status: reply.status, reason, ms: Math.round(milliseconds * 100) / 100 },
    `${method} ${prefix}${redactPath(path)}${search}`,
  );
}

/**
 * The message of an error reply: the first text with one of the names that the services' error
 * formats use, or the whole text.
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

const cut = (text: string): string =>
  text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;

/** Counts a request, and measures its duration. */
export function countRequest(
  request: IncomingRequest,
  reply: Reply,
  milliseconds: number,
  source: RequestSource,
): void {
  if (!isCounted(source)) return;
  const service = request.service?.definition.name ?? 'none';
  const operation = request.operation?.id ?? 'unknown';
  request.cloud.metrics.count(
    { service, region: request.region.name, operation, status: String(reply.status) },
    milliseconds,
  );
}
