// The order in which Image refuses requests: token, path, body. Policy rules depend on the image,
// so the handlers enforce them.
import { badRequest } from '../../kernel/errors.ts';
import { readJson } from '../../kernel/http/steps.ts';
import type { Step } from '../../kernel/model.ts';
import type { ImageRoute } from './call.ts';

/**
 * Reads the JSON body of a route that needs one, and ignores its media type. The handlers check
 * the body, as upstream does.
 * @throws 400 if the body is missing, or is not a JSON object or list
 */
export const readBody: Step = (call) => {
  if (!(call.route as ImageRoute).needsBody) return;
  if (!call.raw?.length) throw badRequest('Body expected in request.');
  call.body = readJson(call.raw, () => badRequest('Malformed JSON in request body.'));
  if (typeof call.body !== 'object' || call.body === null)
    throw badRequest('Unexpected body type. Expected list/dict.');
};
