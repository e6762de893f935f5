// The rules for stored credentials. Upstream: api/credentials.py.
import { badRequest } from '../../../kernel/http/fault.ts';
import { expecting } from './refusals.ts';

/** What may not be changed in keys for EC2, for it says where they came from. */
export const fixedKeys = ['trust_id', 'app_cred_id', 'access_token_id', 'access_id'];

/** The blob of keys for EC2: a JSON object with an access key. @throws 400 */
export function ec2Blob(text: unknown): Record<string, unknown> {
  let blob: unknown;
  try {
    blob = JSON.parse(String(text)) as unknown;
  } catch {
    throw badRequest('Invalid blob in credential');
  }
  if (typeof blob !== 'object' || blob === null || Array.isArray(blob) || !Object.keys(blob).length)
    throw expecting('blob', 'credential');
  const fields = blob as Record<string, unknown>;
  if (fields['access'] === undefined || fields['access'] === null) throw expecting('access', 'credential');
  return fields;
}
