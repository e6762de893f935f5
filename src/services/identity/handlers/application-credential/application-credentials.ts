// Application credentials: what programs sign in with on behalf of a user, for one project.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import { isDuplicate } from '../../../../kernel/db/errors.ts';
import { bumpAuthRevision } from '../../../../kernel/db/state.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import {
  expiry,
  refuseRestricted,
  refuseTrusted,
  rolesFor,
  rulesFor,
  type AskedRole,
  type AskedRule,
} from '../../domain/application-credential/application-credentials.ts';
import type { ApplicationCredential } from '../../domain/records.ts';
import { duplicate, forbiddenAction, found } from '../../domain/refusals.ts';
import { deleteApplicationCredential, findApplicationCredential, insertApplicationCredential, listApplicationCredentials } from '../../store/application-credential/application-credentials.ts'; // prettier-ignore
import { listRoles } from '../../store/assignment/roles.ts';
import { applicationCredentialView } from '../../views/application-credential/application-credentials.ts';
import { listReply } from '../../views/links.ts';
import { allow, bodyOf, tokenOf, textOf } from '../requests.ts';
import { hashedSecret } from '../secrets.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** GET /v3/users/{user_id}/application_credentials */
export async function list(call: Call): Promise<Reply> {
  allow(call, 'list_application_credentials');
  refuseTrusted(tokenOf(call));
  const roles = await listRoles(call.db);
  const credentials = await listApplicationCredentials(call.db, call.params['user_id']!);
  const views = credentials.map((credential) => applicationCredentialView(call, credential, roles));
  return listReply(call, 'application_credentials', views, ['name']);
}

/** POST /v3/users/{user_id}/application_credentials */
export async function create(call: Call): Promise<Reply> {
  allow(call, 'create_application_credential');
  refuseTrusted(tokenOf(call));
  refuseRestricted(tokenOf(call));
  const { userId, projectId } = call.caller!;
  if (userId !== call.params['user_id']) throw forbiddenAction('Cannot create an application credential for another user.');
  if (projectId === undefined) throw forbiddenAction('identity:create_application_credential');
  const fields = bodyOf(call, 'application_credential');
  const { secret, hash } = hashedSecret(call)!;
  const roles = await listRoles(call.db);
  const credential: ApplicationCredential = {
    id: newHexId(),
    name: textOf(fields, 'name'),
    userId,
    projectId,
    secretHash: hash,
    description: (fields['description'] as string | null | undefined) ?? null,
    system: (fields['system'] as string | null | undefined) ?? null,
    expiresAt: expiry((fields['expires_at'] as string | null | undefined) || null, call.now),
    unrestricted: Boolean(fields['unrestricted']),
    roleIds: await rolesFor(call.db, fields['roles'] as AskedRole[] | undefined, call.caller!.roles, { userId, projectId }),
    accessRules: await rulesFor(call.db, fields['access_rules'] as AskedRule[] | undefined, userId),
  };
  try {
    await insertApplicationCredential(call.db, credential);
  } catch (error) {
    throw isDuplicate(error) ? duplicate('application_credential', credential.name) : error;
  }
  return created({ application_credential: { ...applicationCredentialView(call, credential, roles), secret } });
}

/** GET /v3/users/{user_id}/application_credentials/{application_credential_id} */
export async function show(call: Call): Promise<Reply> {
  const credential = await target(call, 'get_application_credential');
  return ok({ application_credential: applicationCredentialView(call, credential, await listRoles(call.db)) });
}

/** DELETE /v3/users/{user_id}/application_credentials/{application_credential_id} */
export async function remove(call: Call): Promise<Reply> {
  const credential = await target(call, 'delete_application_credential', () => refuseRestricted(tokenOf(call)));
  await deleteApplicationCredential(call.db, credential.id);
  await bumpAuthRevision(call.db);
  return noContent();
}

/** Whose it is says the credential and not the path, so that nobody reads another's by a path of their own. */
async function target(call: Call, rule: string, also?: () => void): Promise<ApplicationCredential> {
  const id = call.params['application_credential_id']!;
  const credential = await findApplicationCredential(call.db, id);
  allow(call, rule, {}, credential ? { ...call.params, user_id: credential.userId } : call.params);
  refuseTrusted(tokenOf(call));
  also?.();
  return found(credential, 'applicationCredential', id);
}
