// The order in which Network checks a request: token, path, then whether the body is JSON. Handlers
// check everything else, as upstream does.
import { badRequest } from '../../kernel/errors.ts';
import { stripEnd } from '../../kernel/bounded-text.ts';
import { readJson } from '../../kernel/http/steps.ts';
import { networkRoutes } from './routes.ts';
import type { Step } from '../../kernel/model.ts';

/** Removes a slash and `.json` from the end of the path. */
export const plainPath: Step = (call) => {
  const path = stripEnd(call.path, '/');
  const bare = path.endsWith('.json') ? path.slice(0, -'.json'.length) : path;
  call.path = (bare.includes('/v2.0/') ? bare : path) || '/';
};

/**
 * Replaces underscores by dashes or dashes by underscores in the names of collections, so that both
 * spellings lead to a collection: `/v2.0/security_groups`. Upstream: get_controller_for_resource in
 * neutron/manager.py.
 */
export const declaredSpelling: Step = (call) => {
  call.path = call.path.replace(
    /^(\/v2\.0\/(?:(?:qos|metering)\/)?)([^/]+)(?:(\/[^/]+\/)([^/]+))?/,
    (_whole, before: string, collection: string, id = '', below = '') =>
      `${before}${declared(collection)}${id}${declared(below)}`,
  );
};

const declared = (segment: string): string => spellings.get(segment) ?? segment;

/** The declared name of each collection, by its other spelling. */
const spellings: ReadonlyMap<string, string> = new Map(
  networkRoutes
    .flatMap(({ path }) => path.split('/').slice(2))
    .filter((segment) => /^[a-z]/.test(segment) && /[-_]/.test(segment) && !isAction(segment))
    .map((name) => [
      name.includes('-') ? name.replaceAll('-', '_') : name.replaceAll('_', '-'),
      name,
    ]),
);

/** Whether a segment of a path names an action on a resource, which has one spelling only. */
function isAction(segment: string): boolean {
  return /^(add|get|onboard|remove|update)_/.test(segment);
}

/** Parses the body as JSON, with any media type. A missing body is an empty object. */
export const readBody: Step = (call) => {
  if (call.method !== 'POST' && call.method !== 'PUT') return;
  call.body = call.raw?.length
    ? readJson(call.raw, () => badRequest('Body contains invalid data'))
    : {};
};
