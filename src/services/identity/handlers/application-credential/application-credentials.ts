// Application credentials, with which a program signs in on behalf of a user, for one project.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import {
  createApplicationCredential,
  deleteApplicationCredential,
  refuseRestricted,
  refuseTrustScoped,
  type ApplicationCredentialRequest,
} from '../../domain/application-credential/application-credentials.ts';
import type { ApplicationCredential } from '../../model.ts';
import { forbiddenAction, found } from '../../domain/refusals.ts';
import {
  findApplicationCredential,
  listApplicationCredentials,
} from '../../store/application-credential/application-credentials.ts';
import { listRoles } from '../../store/assignment/roles.ts';
import { applicationCredentialView } from '../../views/application-credential/application-credentials.ts';
import { listBody } from '../lists.ts';
import { enforce, tokenOf } from '../requests.ts';
import { hashedSecret } from '../secrets.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** GET /v3/users/{user_id}/application_credentials */
export async function list(call: Call): Promise<Reply> {
  enforce(call, 'list_application_credentials');
  refuseTrustScoped(tokenOf(call));
  const roles = await listRoles(call.db);
  const credentials = await listApplicationCredentials(call.db, call.params['user_id']!);
  const views = credentials.map((credential) => applicationCredentialView(call, credential, roles));
  return ok(listBody(call, 'application_credentials', views, ['name']));
}

/** POST /v3/users/{user_id}/application_credentials */
export async function create(call: Call): Promise<Reply> {
  enforce(call, 'create_application_credential');
  refuseTrustScoped(tokenOf(call));
  refuseRestricted(tokenOf(call));
  const { userId, projectId, roles: roleNames } = call.caller!;
  if (userId !== call.params['user_id'])
    throw forbiddenAction('Cannot create an application credential for another user.');
  if (projectId === undefined) throw forbiddenAction('identity:create_application_credential');
  const { application_credential: request } = call.body as {
    application_credential: ApplicationCredentialRequest;
  };
  const { secret, hash } = hashedSecret(call)!;
  const owner = { userId, projectId, roles: roleNames };
  const { credential, roles } = await createApplicationCredential(call, request, owner, hash);
  return created({
    application_credential: { ...applicationCredentialView(call, credential, roles), secret },
  });
}

/** GET /v3/users/{user_id}/application_credentials/{application_credential_id} */
export async function show(call: Call): Promise<Reply> {
  const credential = await findAuthorized(call, 'get_application_credential');
  return ok({
    application_credential: applicationCredentialView(call, credential, await listRoles(call.db)),
  });
}

/** DELETE /v3/users/{user_id}/application_credentials/{application_credential_id} */
export async function remove(call: Call): Promise<Reply> {
  const credential = await findAuthorized(call, 'delete_application_credential', () =>
    refuseRestricted(tokenOf(call)),
  );
  await deleteApplicationCredential(call, credential.id);
  return noContent();
}

/**
 * The credential in the path. The target of the rule is the owner of the credential, not the user
 * in the path.
 */
async function findAuthorized(
  call: Call,
  rule: string,
  check?: () => void,
): Promise<ApplicationCredential> {
  const id = call.params['application_credential_id']!;
  const credential = await findApplicationCredential(call.db, id);
  enforce(
    call,
    rule,
    {},
    credential ? { ...call.params, user_id: credential.userId } : call.params,
  );
  refuseTrustScoped(tokenOf(call));
  check?.();
  return found(credential, 'application_credential', id);
}
