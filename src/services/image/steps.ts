// Image's order of refusals: the token, then the path, then the body. Policy asks about the image,
// so the handlers ask it.
import { badRequest } from '../../kernel/errors.ts';
import { readJson } from '../../kernel/http/steps.ts';
import type { Step } from '../../kernel/model.ts';
import type { ImageRoute } from './call.ts';

/**
 * Reads the JSON body of a route that needs one, whatever its media type. The handlers check the
 * body, as upstream does.
 * @throws 400 for no body, or one that is not JSON
 */
export const readBody: Step = (call) => {
  if (!(call.route as ImageRoute).needsBody) return;
  if (!call.raw?.length) throw badRequest('Body expected in request.');
  call.body = readJson(call.raw, () => badRequest('Malformed JSON in request body.'));
};
