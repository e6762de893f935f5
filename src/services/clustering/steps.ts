// Clustering's own steps: what counts as a body, and which requests need no token.
import { readJson } from '../../kernel/http/steps.ts';
import type { LocatedRequest, Step } from '../../kernel/model.ts';
import type { ClusteringCall } from './call.ts';
import { invalid, malformed, FrameworkError } from './domain/refusals.ts';

const webhook = /^\/v1\/webhooks\/[^/]+\/trigger$/;

/** Versions, what is none, and webhooks are open. */
export const isOpen = ({ path }: LocatedRequest): boolean =>
  path === '/v1' || !path.startsWith('/v1/') || webhook.test(path);

/**
 * A webhook without V is refused before anything else. Upstream: senlin/api/middleware/webhook.py.
 */
export const requireHookVersion: Step = (call) => {
  if (call.method === 'POST' && webhook.test(call.path) && !call.query.has('V'))
    throw new FrameworkError(400, 'V query parameter is required in webhook trigger URL');
};

/**
 * Reads a body that says it is JSON and begins like an object; anything else counts as none.
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
