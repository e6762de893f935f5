// The rules for stored credentials. Upstream: api/credentials.py.
import { createHash } from 'node:crypto';
import { badRequest } from '../../../../kernel/fault.ts';
import { expecting } from '../refusals.ts';
import type { Credential } from '../records.ts';
import type { Token } from '../auth/tokens.ts';

/** What may not be changed in keys for EC2, for it says where they came from. */
export const fixedKeys = ['trust_id', 'app_cred_id', 'access_token_id', 'access_id'];

/** The id of keys for EC2. */
export const accessHash = (access: string): string => createHash('sha256').update(access).digest('hex');

/** Whether a token was got by way of a trust or an application credential. */
export const isDelegated = (token: Token | undefined): boolean =>
  token?.trust !== undefined || token?.applicationCredentialId !== undefined;

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

/** What stands in the blob of keys for EC2. */
export interface Ec2Keys {
  readonly access: string | null;
  readonly secret: string | null;
  readonly trustId: string | null;
  readonly applicationCredentialId: string | null;
}

/** The keys for EC2 that a stored credential of that type holds; whoever stored it as such was made to give an access key. */
export function ec2Keys({ blob }: Pick<Credential, 'blob'>): Ec2Keys {
  const fields = ec2Blob(blob);
  const text = (name: string): string | null => (typeof fields[name] === 'string' ? fields[name] : null);
  return {
    access: text('access'),
    secret: text('secret'),
    trustId: text('trust_id'),
    applicationCredentialId: text('app_cred_id'),
  };
}
