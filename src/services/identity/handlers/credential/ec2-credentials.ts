// Keys for EC2, as stored credentials of their own type. Upstream: keystone/api/users.py.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import { refuseRestricted } from '../../domain/application-credential/application-credentials.ts';
import { accessHash, ec2Keys, isDelegated } from '../../domain/credential/credentials.ts';
import type { Credential } from '../../domain/records.ts';
import { forbiddenAction, found, unauthenticated } from '../../domain/refusals.ts';
import { deleteCredential, findCredential, insertCredential, listCredentials } from '../../store/credential/credentials.ts';
import { findProject } from '../../store/resource/projects.ts';
import { findUser } from '../../store/identity/users.ts';
import { linkTo, wrapped } from '../../views/links.ts';
import { allow, tokenOf, type Fields } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

const type = 'ec2';

/** GET /v3/users/{user_id}/credentials/OS-EC2 */
export async function list(call: Call): Promise<Reply> {
  const userId = call.params['user_id']!;
  allow(call, 'ec2_list_credentials');
  found(await findUser(call.db, userId), 'user', userId);
  const all = (await listCredentials(call.db)).filter((one) => one.userId === userId && one.type === type);
  const shown = all.filter((one) => inScope(call, one.projectId));
  return ok(wrapped(call, 'credentials', shown.map((one) => view(call, one)))); // prettier-ignore
}

/** POST /v3/users/{user_id}/credentials/OS-EC2 */
export async function create(call: Call): Promise<Reply> {
  const userId = call.params['user_id']!;
  allow(call, 'ec2_create_credential', { credential: { userId } });
  const token = tokenOf(call);
  refuseRestricted(token);
  found(await findUser(call.db, userId), 'user', userId);
  const projectId = String((call.body as Fields)['tenant_id'] ?? 'None');
  found(await findProject(call.db, projectId), 'project', projectId);
  checkScope(call, projectId);
  const keys = { access: newHexId(), secret: newHexId(), trust_id: token?.trust?.id ?? null };
  const id = accessHash(keys.access);
  const credential: Credential = { id, userId, projectId, type, blob: JSON.stringify(keys), extra: {} };
  await insertCredential(call.db, credential);
  return created({ credential: view(call, credential) });
}

/** GET /v3/users/{user_id}/credentials/OS-EC2/{credential_id} */
export async function show(call: Call): Promise<Reply> {
  return ok({ credential: view(call, await target(call, 'ec2_get_credential')) });
}

/** DELETE /v3/users/{user_id}/credentials/OS-EC2/{credential_id} */
export async function remove(call: Call): Promise<Reply> {
  await deleteCredential(call.db, (await target(call, 'ec2_delete_credential')).id);
  return noContent();
}

/** The keys that the path names by the access key. That there are none is said before policy is asked, as upstream. */
async function target(call: Call, rule: string): Promise<Credential> {
  const { user_id: userId, credential_id: access } = call.params as { user_id: string; credential_id: string };
  const id = accessHash(access);
  const credential = found(await findCredential(call.db, id), 'credential', id);
  allow(call, rule, { credential });
  found(await findUser(call.db, userId), 'user', userId);
  if (credential.type !== type) throw unauthenticated();
  checkScope(call, credential.projectId);
  return credential;
}

const inScope = (call: Call, projectId: string | null): boolean =>
  !isDelegated(tokenOf(call)) || projectId === (call.caller!.projectId ?? null);

function checkScope(call: Call, projectId: string | null): void {
  if (!inScope(call, projectId))
    throw forbiddenAction('EC2 credential project does not match the project scope of the delegated token');
}

function view(call: Call, credential: Credential): object {
  const { access, secret, trustId } = ec2Keys(credential);
  return {
    user_id: credential.userId,
    tenant_id: credential.projectId,
    access,
    secret,
    trust_id: trustId,
    links: { self: linkTo(call, `users/${credential.userId}/credentials/OS-EC2/${access}`) },
  };
}
