// The Network's order of refusals: token, path, body as JSON; everything else is up to the handlers, as upstream has it.
import { badRequest } from '../../kernel/fault.ts';
import { readJson } from '../../kernel/http/steps.ts';
import type { Step } from '../../kernel/model.ts';

/** A slash at the end and `.json` make no difference. */
export const plainPath: Step = (call) => {
  call.path = call.path.replace(/\/+$/, '').replace(/(?<=\/v2\.0\/.*)\.json$/, '') || '/';
};

/** Reads the body whatever it says it is; who sends none has sent nothing. */
export const readBody: Step = (call) => {
  if (call.method !== 'POST' && call.method !== 'PUT') return;
  call.body = call.raw?.length ? readJson(call.raw, () => badRequest('Body contains invalid data')) : {};
};
