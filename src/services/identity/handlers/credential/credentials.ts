// Stored credentials, such as keys for EC2. Upstream: keystone/api/credentials.py.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import { may } from '../../../../kernel/http/steps.ts';
import { refuseRestricted } from '../../domain/application-credential/application-credentials.ts';
import { normalized } from '../../domain/attributes.ts';
import {
  changedCredential,
  checkScope,
  createCredential,
  deleteCredential,
  isEc2,
  isInScope,
  newCredential,
  updateCredential,
} from '../../domain/credential/credentials.ts';
import type { Credential } from '../../model.ts';
import { found } from '../../domain/refusals.ts';
import { findCredential, listCredentials } from '../../store/credential/credentials.ts';
import { credentialView } from '../../views/credential/credentials.ts';
import { listReply } from '../lists.ts';
import { allow, bodyOf, targetOf, tokenOf } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** GET /v3/credentials; only those that the caller may see. */
export async function list(call: Call): Promise<Reply> {
  const { userId, systemScope } = call.caller!;
  allow(call, 'list_credentials', { credential: systemScope ? undefined : { userId } });
  const visible = (await listCredentials(call.db)).filter(
    (credential) =>
      may(call, 'identity:get_credential', targetOf({ credential })) &&
      isInScope(tokenOf(call), credential.projectId),
  );
  return listReply(
    call,
    'credentials',
    visible.map((credential) => credentialView(call, credential)),
    ['user_id', 'type'],
  );
}

/** POST /v3/credentials */
export async function create(call: Call): Promise<Reply> {
  const credential = newCredential(normalized(bodyOf(call, 'credential')));
  allow(call, 'create_credential', { credential });
  const token = tokenOf(call);
  if (isEc2(credential)) refuseRestricted(token, 'credentials');
  checkScope(token, credential.projectId, 'Credential');
  return created({
    credential: credentialView(call, await createCredential(call, credential, token)),
  });
}

/** GET /v3/credentials/{credential_id} */
export async function show(call: Call): Promise<Reply> {
  return ok({ credential: credentialView(call, await target(call, 'get_credential')) });
}

/**
 * PATCH /v3/credentials/{credential_id}; policy is enforced for the credential before and after the
 * change.
 */
export async function update(call: Call): Promise<Reply> {
  const credential = changedCredential(
    await target(call, 'update_credential'),
    bodyOf(call, 'credential'),
  );
  allow(call, 'update_credential', { credential });
  await updateCredential(call, credential);
  return ok({ credential: credentialView(call, credential) });
}

/** DELETE /v3/credentials/{credential_id} */
export async function remove(call: Call): Promise<Reply> {
  await deleteCredential(call, (await target(call, 'delete_credential')).id);
  return noContent();
}

async function target(call: Call, rule: string): Promise<Credential> {
  const id = call.params['credential_id']!;
  const credential = await findCredential(call.db, id);
  allow(call, rule, { credential });
  checkScope(tokenOf(call), found(credential, 'credential', id).projectId, 'Credential');
  return credential!;
}
