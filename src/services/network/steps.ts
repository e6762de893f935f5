// The order in which Network checks a request: token, path, then whether the body is JSON. Handlers
// check everything else, as upstream does.
import { badRequest } from '../../kernel/errors.ts';
import { stripEnd } from '../../kernel/bounded-text.ts';
import { readJson } from '../../kernel/http/steps.ts';
import type { Step } from '../../kernel/model.ts';

/** Removes a slash and `.json` from the end of the path. */
export const plainPath: Step = (call) => {
  const path = stripEnd(call.path, '/');
  const bare = path.endsWith('.json') ? path.slice(0, -'.json'.length) : path;
  call.path = (bare.includes('/v2.0/') ? bare : path) || '/';
};

/** Parses the body as JSON, with any media type. A missing body is an empty object. */
export const readBody: Step = (call) => {
  if (call.method !== 'POST' && call.method !== 'PUT') return;
  call.body = call.raw?.length
    ? readJson(call.raw, () => badRequest('Body contains invalid data'))
    : {};
};
