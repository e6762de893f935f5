// Checks an image, or a part of one, against the schema of a new image.
import type { ImageCall } from '../call.ts';
import { schemaError } from '../errors.ts';

/** @throws 400 */
export async function checkSchema(call: ImageCall, fields: unknown): Promise<void> {
  const failure = await call.service.contract
    .operation('POST', '/v2/images', call.version)
    .checkBody(fields);
  if (failure) throw schemaError(failure);
}
