// Reads the bodies of requests.
import { objectUnder, type Fields } from '../domain/fields.ts';
import type { ApiError } from '../../../kernel/errors.ts';
import type { TricircleCall } from '../call.ts';

/** Reads the object under a key of the body. @throws the given error if there is none */
export function readObject({ body }: TricircleCall, key: string, missing: () => ApiError): Fields {
  const fields = objectUnder(body, key);
  if (!fields) throw missing();
  return fields;
}
