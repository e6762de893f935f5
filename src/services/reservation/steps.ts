// Reservation's order of refusals: token, version, path, body, and then the rule of the table's
// line.
import { authorize, mediaType, readJson } from '../../kernel/http/steps.ts';
import type { Call, RoutedRequest, Step } from '../../kernel/model.ts';
import { frameworkError } from './errors.ts';

/** Every path may end in `.json`, which says what the answer is anyhow. */
export const dropSuffix: Step = (call) => {
  const [, path] = /^(\/v1\/.+)\.json$/.exec(call.path) ?? [];
  if (path === undefined) return;
  // Of a collection that has a blueprint of its own, the suffix comes after the slash.
  const [, collection] = /^(\/v1\/(?:os-hosts|floatingips))\/?$/.exec(path) ?? [];
  if (collection === undefined) call.path = path;
  else if (path.endsWith('/')) call.path = collection;
};

/** Reads the body. Upstream answers a body that is no JSON with a 500. @throws 400 */
export const readBody: Step = (call) => {
  if (!['POST', 'PUT', 'PATCH'].includes(call.method)) return;
  const type = mediaType(call);
  if (type !== undefined && type !== 'application/json')
    throw frameworkError(400, `Content type '${type}' isn't supported`);
  call.body = readJson(call.raw, (why) => frameworkError(400, `Malformed JSON: ${why}`));
};

/** Asks the rule in the table's line about the caller's own project. @throws 403 */
export const enforceOwn: Step<RoutedRequest> = (call) => {
  if (call.route.policy) authorize(call, call.route.policy, ownTarget(call));
};

export const ownTarget = ({
  actor,
}: Pick<Call, 'actor'>): { project_id: string | undefined; user_id: string } => ({
  project_id: actor.projectId,
  user_id: actor.userId,
});
