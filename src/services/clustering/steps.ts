// Clustering's own steps: which requests need no token, and how bodies are read.
import { readJson } from '../../kernel/http/steps.ts';
import type { LocatedRequest, Step } from '../../kernel/model.ts';
import type { ClusteringCall } from './call.ts';
import { invalid, malformed, FrameworkError } from './domain/refusals.ts';

const webhook = /^\/v1\/webhooks\/[^/]+\/trigger$/;

/** Version documents, unknown paths and webhooks need no token. */
export const isPublic = ({ path }: LocatedRequest): boolean =>
  path === '/v1' || !path.startsWith('/v1/') || webhook.test(path);

/**
 * Rejects a webhook without V before all other checks. Upstream: senlin/api/middleware/webhook.py.
 */
export const requireHookVersion: Step = (call) => {
  if (call.method === 'POST' && webhook.test(call.path) && !call.query.has('V'))
    throw new FrameworkError(400, 'V query parameter is required in webhook trigger URL');
};

/**
 * Reads a body that is declared as JSON and begins like an object; any other body counts as absent.
 * Upstream: senlin/api/common/wsgi.py.
 */
export const readBody: Step = (call) => {
  const { raw } = call;
  const type = call.headers['content-type'] ?? '';
  const isJson = type === '' || /^text\/plain/i.test(type) || /json/i.test(type);
  call.body =
    raw?.length && isJson && raw[0] === 0x7b ? readJson(raw, (why) => invalid(why)) : undefined;
  if (call.body === undefined && (call as ClusteringCall).route.needsBody) throw malformed();
  if (call.query.garbled) throw invalid("'utf-8' codec can't decode the query");
};
