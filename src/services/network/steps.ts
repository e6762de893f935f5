// The order in which Network refuses: token, path, body that is no JSON; handlers check everything
// else, as upstream does.
import { badRequest } from '../../kernel/errors.ts';
import { stripEnd } from '../../kernel/bounded-text.ts';
import { readJson } from '../../kernel/http/steps.ts';
import type { Step } from '../../kernel/model.ts';

/** Takes a slash and `.json` off the end of the path. */
export const plainPath: Step = (call) => {
  const path = stripEnd(call.path, '/');
  const bare = path.endsWith('.json') ? path.slice(0, -'.json'.length) : path;
  call.path = (bare.includes('/v2.0/') ? bare : path) || '/';
};

/** Reads the body as JSON, whatever its media type; no body is an empty object. */
export const readBody: Step = (call) => {
  if (call.method !== 'POST' && call.method !== 'PUT') return;
  call.body = call.raw?.length
    ? readJson(call.raw, () => badRequest('Body contains invalid data'))
    : {};
};
