// Creates, updates and deletes stored credentials, such as EC2 credentials. Upstream:
// api/credentials.py.
import { createHash } from 'node:crypto';
import { badRequest } from '../../../../kernel/errors.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import * as store from '../../store/credential/credentials.ts';
import {
  extraOf,
  nullableText,
  optionalText,
  refuseIdChange,
  textOf,
  updatedText,
  type Fields,
} from '../attributes.ts';
import type { Credential, Token } from '../../model.ts';
import {
  checkLength,
  duplicate,
  expecting,
  forbiddenAction,
  refuseOnDuplicate,
} from '../refusals.ts';
import type { Context } from '../../../../kernel/model.ts';

const apiAttributes = [
  'id',
  'user_id',
  'project_id',
  'type',
  'blob',
  'links',
  'encrypted_blob',
  'key_hash',
];

/** The keys that record where an EC2 credential came from, which cannot be changed in its blob. */
const immutableKeys = ['trust_id', 'app_cred_id', 'access_token_id', 'access_id'];

/** The credential in a request, which is not stored yet. */
export const newCredential = (fields: Fields): Credential => ({
  id: newHexId(),
  userId: textOf(fields, 'user_id'),
  projectId: nullableText(fields, 'project_id') ?? null,
  type: textOf(fields, 'type'),
  blob: textOf(fields, 'blob'),
  extra: extraOf(fields, apiAttributes),
});

/** Whether a credential is an EC2 credential. */
export const isEc2 = ({ type }: Credential): boolean => type.toLowerCase() === 'ec2';

/** Stores a new credential. `token` is the creator's. @throws 400, 409 */
export async function createCredential(
  { db, now }: Context,
  credential: Credential,
  token: Token | undefined,
): Promise<Credential> {
  const stored = isEc2(credential) ? asEc2Credential(credential, token) : credential;
  checkColumns(stored);
  await refuseOnDuplicate(store.insertCredential(db, stored, now), () =>
    duplicate('credential', stored.id, undefined, 'ID'),
  );
  return stored;
}

/**
 * Derives the id of an EC2 credential from its access key, by which it is looked up. If the token
 * is delegated, adds its source to the blob.
 */
function asEc2Credential(credential: Credential, token: Token | undefined): Credential {
  const blob = ec2Blob(credential.blob);
  const id = accessHash(String(blob['access']));
  if (!isDelegated(token)) return { ...credential, id };
  const { trust, applicationCredentialId, accessTokenId } = token!;
  const withSource = {
    ...blob,
    ...(trust ? { trust_id: trust.id } : {}),
    ...(applicationCredentialId === undefined ? {} : { app_cred_id: applicationCredentialId }),
    ...(accessTokenId === undefined ? {} : { access_token_id: accessTokenId }),
  };
  return { ...credential, id, blob: JSON.stringify(withSource) };
}

/** Applies the changes in a request to a credential, without storing it. @throws 400 */
export function changedCredential(credential: Credential, fields: Fields): Credential {
  if (isEc2(credential)) checkImmutableKeys(credential.blob, fields['blob']);
  refuseIdChange(fields, credential);
  return {
    ...credential,
    userId: optionalText(fields, 'user_id') ?? credential.userId,
    projectId: updatedText(fields, 'project_id', credential.projectId),
    type: optionalText(fields, 'type') ?? credential.type,
    blob: optionalText(fields, 'blob') ?? credential.blob,
    extra: { ...credential.extra, ...extraOf(fields, apiAttributes) },
  };
}

function checkImmutableKeys(before: string, after: unknown): void {
  const old = ec2Blob(before);
  const blob = ec2Blob(after);
  const changed = immutableKeys.find((key) => (old[key] ?? null) !== (blob[key] ?? null));
  if (changed !== undefined) throw badRequest(`${changed} can not be updated for credential`);
}

/** Stores a changed credential. @throws 400 */
export async function updateCredential(
  { db, now }: Context,
  credential: Credential,
): Promise<void> {
  checkColumns(credential);
  await store.updateCredential(db, credential, now);
}

function checkColumns({ userId, projectId, type }: Credential): void {
  checkLength('user_id', userId, 64);
  checkLength('project_id', projectId, 64);
  checkLength('type', type, 255);
}

/** Deletes a credential. */
export const deleteCredential = ({ db }: Context, { id }: Credential): Promise<void> =>
  store.deleteCredential(db, id);

/** The id of the EC2 credential with this access key. */
export const accessHash = (access: string): string =>
  createHash('sha256').update(access).digest('hex');

/** Whether a token was issued for a trust, an application credential or an OAuth access token. */
export const isDelegated = (token: Token | undefined): boolean =>
  token?.trust !== undefined ||
  token?.applicationCredentialId !== undefined ||
  token?.accessTokenId !== undefined;

/**
 * Whether a token may use a credential for a project. A delegated token may use only credentials
 * for its own project.
 */
export const isInScope = (token: Token | undefined, projectId: string | null): boolean =>
  !isDelegated(token) || projectId === (token?.project?.id ?? null);

/**
 * @throws 403 if a delegated token is for another project. `noun` names the credential in the error
 */
export function checkScope(token: Token | undefined, projectId: string | null, noun: string): void {
  if (!isInScope(token, projectId))
    throw forbiddenAction(
      `${noun} project does not match the project scope of the delegated token`,
    );
}

/** Parses the blob of an EC2 credential: a JSON object with an access key. @throws 400 */
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
  if (fields['access'] === undefined || fields['access'] === null)
    throw expecting('access', 'credential');
  return fields;
}
