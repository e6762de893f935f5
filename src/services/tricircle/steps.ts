// Tricircle's order of refusals: token, path and method, media type, the rule of the table's line,
// and then the body.
import { may, mediaType, readJson } from '../../kernel/http/steps.ts';
import { badRequest, ApiError, noSuchPath } from '../../kernel/errors.ts';
import type { Step } from '../../kernel/model.ts';
import type { TricircleCall } from './call.ts';
import { aborted, typed } from './domain/refusals.ts';
import { takesJson } from './media.ts';

/**
 * A path may end in a slash, and in `.json`; what ends in another type is not there. Upstream:
 * pecan/core.py.
 */
export const dropSuffix: Step = (call) => {
  if (/^\/.+\/$/.test(call.path)) call.path = call.path.slice(0, -1);
  const [, path, suffix] = /^(\/v1\.0\/.+)\.(json|txt|html|xml)$/.exec(call.path) ?? [];
  if (path === undefined) return;
  if (suffix !== 'json') throw noSuchPath();
  call.path = path;
  (call as TricircleCall).hasSuffix = true;
};

/** @throws 406 for a client that takes no JSON */
export const requireJson: Step = (call) => {
  if (!(call as TricircleCall).hasSuffix && !takesJson(call.headers.accept)) throw aborted(406, '');
};

/**
 * Who is no administrator is told so in the words of the line: with a 401 where pods are, and
 * elsewhere with a 403, as upstream.
 */
export const enforceRule: Step = (call) => {
  const { policy, denied = '' } = (call as TricircleCall).route;
  if (policy === undefined || may(call, policy, {})) return;
  throw /^\/v1\.0\/(pods|bindings|usages)(\/|$)/.test(call.path)
    ? aborted(401, denied)
    : typed(403, denied);
};

/**
 * Reads the body. What is no JSON object counts as an empty one: the field that a request needs is
 * missing then.
 */
export const readBody: Step = (call) => {
  if (call.query.garbled) throw badRequest("'utf-8' codec can't decode the query");
  call.body = {};
  if (!call.raw?.length || !/^application\/(.*\+)?json$/.test(mediaType(call) ?? '')) return;
  const body = objectIn(call.raw);
  if (body) call.body = body;
};

function objectIn(raw: Buffer): object | undefined {
  try {
    const body = readJson(raw, badRequest);
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? body : undefined;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
