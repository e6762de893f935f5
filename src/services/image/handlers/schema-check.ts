// Checks bodies, images and parts of images against the schemas of operations.
import type { ImageCall } from '../call.ts';
import { schemaError } from '../errors.ts';

/**
 * Checks a body against the schema of an operation.
 * @param name the name of the schema in messages
 * @throws 400
 */
export async function checkBody(
  call: ImageCall,
  name: string,
  method: string,
  path: string,
  body: unknown,
): Promise<void> {
  const operation = call.service.contract.operation(method, path, call.version);
  const failure = await operation.checkBody(body);
  if (failure) throw schemaError(failure, name);
}

/** Checks an image, or a part of one, against the schema of a new image. @throws 400 */
export const checkSchema = (call: ImageCall, fields: unknown): Promise<void> =>
  checkBody(call, 'image', 'POST', '/v2/images', fields);
