// What handlers read from a request.
import { objectUnder, type Fields } from '../domain/fields.ts';
import type { ApiError } from '../../../kernel/errors.ts';
import type { TricircleCall } from '../call.ts';

/** The object that the body has under a key. @throws the fault where there is none */
export function wrapped({ body }: TricircleCall, key: string, missing: () => ApiError): Fields {
  const fields = objectUnder(body, key);
  if (!fields) throw missing();
  return fields;
}
