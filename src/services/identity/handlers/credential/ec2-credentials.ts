// EC2 credentials, which are stored credentials of the type `ec2`. Upstream: keystone/api/users.py.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import { refuseRestricted } from '../../domain/application-credential/application-credentials.ts';
import type { Fields } from '../../domain/attributes.ts';
import { accessHash, deleteCredential } from '../../domain/credential/credentials.ts';
import {
  checkEc2Scope,
  createEc2Credential,
  ec2Type,
  listEc2Credentials,
} from '../../domain/credential/ec2-credentials.ts';
import type { Credential } from '../../model.ts';
import { found, unauthenticated } from '../../domain/refusals.ts';
import { findCredential } from '../../store/credential/credentials.ts';
import { findUser } from '../../store/identity/users.ts';
import { ec2CredentialView } from '../../views/credential/credentials.ts';
import { wrapped } from '../../views/links.ts';
import { enforce, tokenOf } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** GET /v3/users/{user_id}/credentials/OS-EC2 */
export async function list(call: Call): Promise<Reply> {
  const userId = call.params['user_id']!;
  enforce(call, 'ec2_list_credentials');
  found(await findUser(call.db, userId), 'user', userId);
  const credentials = await listEc2Credentials(call, userId, tokenOf(call));
  return ok(
    wrapped(
      call,
      'credentials',
      credentials.map((credential) => ec2CredentialView(call, credential)),
    ),
  );
}

/** POST /v3/users/{user_id}/credentials/OS-EC2 */
export async function create(call: Call): Promise<Reply> {
  const userId = call.params['user_id']!;
  enforce(call, 'ec2_create_credential', { credential: { userId } });
  const token = tokenOf(call);
  refuseRestricted(token);
  found(await findUser(call.db, userId), 'user', userId);
  const projectId = String((call.body as Fields)['tenant_id'] ?? 'None');
  return created({
    credential: ec2CredentialView(call, await createEc2Credential(call, userId, projectId, token)),
  });
}

/** GET /v3/users/{user_id}/credentials/OS-EC2/{credential_id} */
export async function show(call: Call): Promise<Reply> {
  return ok({
    credential: ec2CredentialView(call, await findAuthorized(call, 'ec2_get_credential')),
  });
}

/** DELETE /v3/users/{user_id}/credentials/OS-EC2/{credential_id} */
export async function remove(call: Call): Promise<Reply> {
  await deleteCredential(call, await findAuthorized(call, 'ec2_delete_credential'));
  return noContent();
}

/**
 * The EC2 credential with the access key in the path. A missing one is a 404 before policy is
 * enforced, as upstream.
 */
async function findAuthorized(call: Call, rule: string): Promise<Credential> {
  const { user_id: userId, credential_id: access } = call.params as {
    user_id: string;
    credential_id: string;
  };
  const id = accessHash(access);
  const credential = found(await findCredential(call.db, id), 'credential', id);
  enforce(call, rule, { credential });
  found(await findUser(call.db, userId), 'user', userId);
  if (credential.type !== ec2Type) throw unauthenticated();
  checkEc2Scope(tokenOf(call), credential.projectId);
  return credential;
}
