// The checks of a request, in Tricircle's order: token, path and method, media type, the route's
// policy, and then the body.
import { may, mediaType, readJson } from '../../kernel/http/steps.ts';
import { badRequest, ApiError, noSuchPath } from '../../kernel/errors.ts';
import type { RoutedRequest, Step, TimedRequest } from '../../kernel/model.ts';
import { aborted, typed } from './domain/errors.ts';
import { acceptsJson } from './media.ts';
import { deniedMessages } from './policy.ts';

/** A request whose path may have requested JSON by its suffix. */
interface Suffixed {
  hasSuffix?: boolean;
}

/**
 * Removes a trailing slash and the suffix `.json` from the path. A path with the suffix of another
 * type does not exist. Upstream: pecan/core.py.
 */
export const dropSuffix: Step<TimedRequest & Suffixed> = (call) => {
  if (/^\/.+\/$/.test(call.path)) call.path = call.path.slice(0, -1);
  const [, path, suffix] = /^(\/v1\.0\/.+)\.(json|txt|html|xml)$/.exec(call.path) ?? [];
  if (path === undefined) return;
  if (suffix !== 'json') throw noSuchPath();
  call.path = path;
  call.hasSuffix = true;
};

/** @throws 406 if the client does not accept JSON */
export const requireJson: Step<RoutedRequest & Suffixed> = (call) => {
  if (!call.hasSuffix && !acceptsJson(call.headers.accept)) throw aborted(406, '');
};

/**
 * Enforces the route's policy rule. As upstream, the controllers of pods, bindings and usages
 * return a 401 for a denied request, and the others a 403.
 * @throws 401, 403
 */
export const enforceRule: Step<RoutedRequest> = (call) => {
  const { policy } = call.route;
  if (policy === undefined || may(call, policy, {})) return;
  const message = deniedMessages[policy] ?? '';
  throw /^\/v1\.0\/(pods|bindings|usages)(\/|$)/.test(call.path)
    ? aborted(401, message)
    : typed(403, message);
};

/**
 * Reads the body. A body that is not a JSON object counts as an empty object, so the error is about
 * the missing field.
 */
export const readBody: Step<RoutedRequest> = (call) => {
  if (call.query.garbled) throw badRequest("'utf-8' codec can't decode the query");
  call.body = {};
  if (!call.raw?.length || !/^application\/(.*\+)?json$/.test(mediaType(call) ?? '')) return;
  const body = parseObject(call.raw);
  if (body) call.body = body;
};

function parseObject(raw: Buffer): object | undefined {
  try {
    const body = readJson(raw, badRequest);
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? body : undefined;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
