// The checks of a request, in Blazar's order: token, version, path, body, and the route's policy.
import { authorize, mediaType, readJson } from '../../kernel/http/steps.ts';
import type { Call, RoutedRequest, Step } from '../../kernel/model.ts';
import { frameworkError } from './errors.ts';

/** Removes the optional suffix `.json` from the path. All replies are JSON anyway. */
export const dropSuffix: Step = (call) => {
  const [, path] = /^(\/v1\/.+)\.json$/.exec(call.path) ?? [];
  if (path === undefined) return;
  // Collections with a blueprint of their own in upstream have the suffix after the slash.
  const [, collection] = /^(\/v1\/(?:os-hosts|floatingips))\/?$/.exec(path) ?? [];
  if (collection === undefined) call.path = path;
  else if (path.endsWith('/')) call.path = collection;
};

/** Reads the body. @throws 400 for a body that is not JSON, for which upstream returns a 500 */
export const readBody: Step = (call) => {
  if (!['POST', 'PUT', 'PATCH'].includes(call.method)) return;
  const type = mediaType(call);
  if (type !== undefined && type !== 'application/json')
    throw frameworkError(400, `Content type '${type}' isn't supported`);
  call.body = readJson(call.raw, (why) => frameworkError(400, `Malformed JSON: ${why}`));
};

/** Enforces the route's policy rule for the caller's own project. @throws 403 */
export const enforceOwn: Step<RoutedRequest> = (call) => {
  if (call.route.policy) authorize(call, call.route.policy, targetOfCaller(call));
};

export const targetOfCaller = ({
  actor,
}: Pick<Call, 'actor'>): { project_id: string | undefined; user_id: string } => ({
  project_id: actor.projectId,
  user_id: actor.userId,
});
