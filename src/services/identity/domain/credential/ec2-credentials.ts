// Creates and lists EC2 credentials, which are stored credentials of the type `ec2`. Upstream:
// keystone/api/users.py.
import { newHexId } from '../../../../kernel/ids.ts';
import { insertCredential, listCredentials } from '../../store/credential/credentials.ts';
import { findProject } from '../../store/resource/projects.ts';
import type { Credential, Token } from '../../model.ts';
import { found } from '../refusals.ts';
import { accessHash, checkScope, ec2Blob, isInScope } from './credentials.ts';
import type { Context } from '../../../../kernel/model.ts';

/** The type of stored credentials that are EC2 credentials. */
export const ec2Type = 'ec2';

/** The contents of an EC2 credential's blob. */
export interface Ec2Keys {
  readonly access: string | null;
  readonly secret: string | null;
  readonly trustId: string | null;
  readonly applicationCredentialId: string | null;
  readonly accessTokenId: string | null;
}

/** The keys in a stored credential. */
export function ec2Keys({ blob }: Pick<Credential, 'blob'>): Ec2Keys {
  const fields = ec2Blob(blob);
  const text = (name: string): string | null =>
    typeof fields[name] === 'string' ? fields[name] : null;
  return {
    access: text('access'),
    secret: text('secret'),
    trustId: text('trust_id'),
    applicationCredentialId: text('app_cred_id'),
    accessTokenId: text('access_token_id'),
  };
}

/** The EC2 credentials of a user that the token may use. */
export async function listEc2Credentials(
  { db }: Context,
  userId: string,
  token: Token | undefined,
): Promise<Credential[]> {
  return (await listCredentials(db)).filter(
    (credential) =>
      credential.userId === userId &&
      credential.type === ec2Type &&
      isInScope(token, credential.projectId),
  );
}

/**
 * Creates an EC2 credential for a user and a project. It has the rights of the token: those of its
 * trust, of its application credential or of its OAuth access token. Upstream stores only the trust
 * here, so that there the others can get a credential with all roles of their user.
 * @throws 403, 404
 */
export async function createEc2Credential(
  { db, now }: Context,
  userId: string,
  projectId: string,
  token: Token | undefined,
): Promise<Credential> {
  found(await findProject(db, projectId), 'project', projectId);
  checkEc2Scope(token, projectId);
  const { applicationCredentialId, accessTokenId } = token ?? {};
  const keys = {
    access: newHexId(),
    secret: newHexId(),
    trust_id: token?.trust?.id ?? null,
    ...(applicationCredentialId === undefined ? {} : { app_cred_id: applicationCredentialId }),
    ...(accessTokenId === undefined ? {} : { access_token_id: accessTokenId }),
  };
  const id = accessHash(keys.access);
  const credential: Credential = {
    id,
    userId,
    projectId,
    type: ec2Type,
    blob: JSON.stringify(keys),
    extra: {},
  };
  await insertCredential(db, credential, now);
  return credential;
}

/** @throws 403 if a delegated token is for another project than the credential */
export const checkEc2Scope = (token: Token | undefined, projectId: string | null): void =>
  checkScope(token, projectId, 'EC2 credential');
