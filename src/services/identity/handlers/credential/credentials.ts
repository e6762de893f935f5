// Stored credentials, such as EC2 credentials. Upstream: keystone/api/credentials.py.
import { plainHandlers, type OperationName } from '../../../../kernel/http/plain-resource.ts';
import { may } from '../../../../kernel/http/steps.ts';
import { refuseRestricted } from '../../domain/application-credential/application-credentials.ts';
import type { Fields } from '../../domain/attributes.ts';
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
import { bodiesOf, ruleOf } from '../plain.ts';
import { enforce, targetOf, tokenOf } from '../requests.ts';
import type { Call } from '../../../../kernel/model.ts';

/** The operations of /v3/credentials. */
export const { list, show, create, update, remove } = plainHandlers<Call, Credential, Fields>({
  ...bodiesOf({
    noun: 'credential',
    collection: 'credentials',
    filters: ['user_id', 'type'],
    view: credentialView,
  }),
  /** Lists only the credentials that the caller may see. */
  async list(call) {
    const { userId, systemScope } = call.caller!;
    enforce(call, 'list_credentials', { credential: systemScope ? undefined : { userId } });
    return (await listCredentials(call.db)).filter(
      (credential) =>
        may(call, 'identity:get_credential', targetOf({ credential })) &&
        isInScope(tokenOf(call), credential.projectId),
    );
  },
  find: findAuthorized,
  create(call, fields) {
    const credential = newCredential(fields);
    enforce(call, 'create_credential', { credential });
    const token = tokenOf(call);
    if (isEc2(credential)) refuseRestricted(token, 'credentials');
    checkScope(token, credential.projectId, 'Credential');
    return createCredential(call, credential, token);
  },
  /** Enforces policy for the credential before and after the change. */
  async update(call, before, fields) {
    const credential = changedCredential(before, fields);
    enforce(call, 'update_credential', { credential });
    await updateCredential(call, credential);
    return credential;
  },
  remove: deleteCredential,
});

/** The credential in the path. Policy is enforced before a missing one is a 404, as upstream. */
async function findAuthorized(call: Call, operation: OperationName): Promise<Credential> {
  const id = call.params['credential_id']!;
  const credential = await findCredential(call.db, id);
  enforce(call, ruleOf(operation, 'credential'), { credential });
  const existing = found(credential, 'credential', id);
  checkScope(tokenOf(call), existing.projectId, 'Credential');
  return existing;
}
