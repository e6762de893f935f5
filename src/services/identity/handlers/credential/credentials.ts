// Stored credentials: secrets kept for users, such as keys for EC2.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import { isDuplicate } from '../../../../kernel/db/errors.ts';
import { badRequest } from '../../../../kernel/fault.ts';
import { may } from '../../../../kernel/http/steps.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import { refuseRestricted } from '../../domain/application-credential/application-credentials.ts';
import { accessHash, ec2Blob, fixedKeys, isDelegated } from '../../domain/credential/credentials.ts';
import type { Credential } from '../../domain/records.ts';
import { checkLength, duplicate, forbiddenAction, found } from '../../domain/refusals.ts';
import type { Token } from '../../domain/auth/tokens.ts';
import {
  deleteCredential,
  findCredential,
  insertCredential,
  listCredentials,
  updateCredential,
} from '../../store/credential/credentials.ts';
import { listReply, linkTo, type View } from '../../views/links.ts';
import { allow, bodyOf, extraOf, normalized, refuseMove, targetOf, textOf, tokenOf } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

const known = ['id', 'user_id', 'project_id', 'type', 'blob', 'links', 'encrypted_blob', 'key_hash'];

/** GET /v3/credentials; only those that the caller may see. */
export async function list(call: Call): Promise<Reply> {
  const { userId, systemScope } = call.caller!;
  allow(call, 'list_credentials', { credential: systemScope ? undefined : { userId } });
  const visible = (await listCredentials(call.db)).filter(
    (credential) => may(call, 'identity:get_credential', targetOf({ credential })) && inScope(call, credential.projectId),
  );
  return listReply(
    call,
    'credentials',
    visible.map((credential) => view(call, credential)),
    ['user_id', 'type'],
  );
}

/** POST /v3/credentials */
export async function create(call: Call): Promise<Reply> {
  const fields = normalized(bodyOf(call, 'credential'));
  const credential: Credential = {
    id: newHexId(),
    userId: textOf(fields, 'user_id'),
    projectId: (fields['project_id'] as string | null | undefined) ?? null,
    type: textOf(fields, 'type'),
    blob: textOf(fields, 'blob'),
    extra: extraOf(fields, known),
  };
  allow(call, 'create_credential', { credential });
  const isEc2 = credential.type.toLowerCase() === 'ec2';
  const token = tokenOf(call);
  if (isEc2) refuseRestricted(token, 'credentials');
  checkScope(call, credential.projectId);
  const stored = isEc2 ? ofEc2(credential, token) : credential;
  checkColumns(stored);
  try {
    await insertCredential(call.db, stored);
  } catch (error) {
    throw isDuplicate(error) ? duplicate('credential', stored.id, undefined, 'ID') : error;
  }
  return created({ credential: view(call, stored) });
}

function checkColumns({ userId, projectId, type }: Credential): void {
  checkLength('user_id', userId, 64);
  checkLength('project_id', projectId, 64);
  checkLength('type', type, 255);
}

/** The id of keys for EC2 comes from the access key, so that they are found by it. */
function ofEc2(credential: Credential, token: Token | undefined): Credential {
  const blob = ec2Blob(credential.blob);
  const id = accessHash(String(blob['access']));
  if (!isDelegated(token)) return { ...credential, id };
  const { trust, applicationCredentialId } = token!;
  const bound = {
    ...blob,
    ...(trust ? { trust_id: trust.id } : {}),
    ...(applicationCredentialId === undefined ? {} : { app_cred_id: applicationCredentialId }),
  };
  return { ...credential, id, blob: JSON.stringify(bound) };
}

/** GET /v3/credentials/{credential_id} */
export async function show(call: Call): Promise<Reply> {
  return ok({ credential: view(call, await target(call, 'get_credential')) });
}

/** PATCH /v3/credentials/{credential_id} */
export async function update(call: Call): Promise<Reply> {
  const credential = await target(call, 'update_credential');
  const fields = bodyOf(call, 'credential');
  if (credential.type.toLowerCase() === 'ec2') keepFixed(credential.blob, fields['blob']);
  refuseMove(fields, credential);
  const next: Credential = {
    ...credential,
    userId: (fields['user_id'] as string | undefined) ?? credential.userId,
    projectId: 'project_id' in fields ? (fields['project_id'] as string | null) : credential.projectId,
    type: (fields['type'] as string | undefined) ?? credential.type,
    blob: (fields['blob'] as string | undefined) ?? credential.blob,
    extra: { ...credential.extra, ...extraOf(fields, known) },
  };
  allow(call, 'update_credential', { credential: next });
  checkColumns(next);
  await updateCredential(call.db, next);
  return ok({ credential: view(call, next) });
}

function keepFixed(before: string, after: unknown): void {
  const old = ec2Blob(before);
  const blob = ec2Blob(after);
  const changed = fixedKeys.find((key) => (old[key] ?? null) !== (blob[key] ?? null));
  if (changed !== undefined) throw badRequest(`${changed} can not be updated for credential`);
}

/** DELETE /v3/credentials/{credential_id} */
export async function remove(call: Call): Promise<Reply> {
  await deleteCredential(call.db, (await target(call, 'delete_credential')).id);
  return noContent();
}

async function target(call: Call, rule: string): Promise<Credential> {
  const id = call.params['credential_id']!;
  const credential = await findCredential(call.db, id);
  allow(call, rule, { credential });
  checkScope(call, found(credential, 'credential', id).projectId);
  return credential!;
}

/** A token of an application credential or a trust reaches only what is for its project. */
const inScope = (call: Call, projectId: string | null): boolean =>
  !isDelegated(tokenOf(call)) || projectId === (call.caller!.projectId ?? null);

function checkScope(call: Call, projectId: string | null): void {
  if (!inScope(call, projectId))
    throw forbiddenAction('Credential project does not match the project scope of the delegated token');
}

const view = (call: Call, { id, userId, projectId, type, blob, extra }: Credential): View => ({
  ...extra,
  id,
  user_id: userId,
  project_id: projectId,
  type,
  blob,
  links: { self: linkTo(call, `credentials/${id}`) },
});
