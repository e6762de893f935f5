// Encryption of volume types, and what it is for a volume. Upstream: cinder/api/contrib/volume_type_encryption.py.
import { accepted, ok } from '../../../kernel/http/reply.ts';
import { badRequest } from '../../../kernel/fault.ts';
import {
  changeEncryption,
  checkUnused,
  createEncryption,
  dropEncryption,
  fixedKey,
  noEncryption,
  type EncryptionFields,
} from '../domain/encryption.ts';
import type { Encryption } from '../domain/records.ts';
import { encryptionOf } from '../store/encryptions.ts';
import { timeOrNull, timeView } from '../views/times.ts';
import { allow, bodyOf, type Fields } from './requests.ts';
import { typeOf } from './types.ts';
import { volumeOf } from './volumes.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { VolumeCall } from '../call.ts';

const rule = (name: string): string => `volume_extension:volume_type_encryption:${name}`;

const view = (encryption: Encryption): Record<string, unknown> => ({
  volume_type_id: encryption.typeId,
  encryption_id: encryption.id,
  provider: encryption.provider,
  control_location: encryption.controlLocation,
  cipher: encryption.cipher,
  key_size: encryption.keySize,
  created_at: timeView(encryption.createdAt),
  updated_at: timeOrNull(encryption.updatedAt),
  deleted_at: null,
  deleted: false,
});

/** What a body says; the key's size may be written as text. @throws 400 */
function read(call: VolumeCall): { sent: Fields; fields: EncryptionFields } {
  const given = bodyOf(call, 'encryption');
  const size = given['key_size'];
  if (typeof size === 'string' && !/^[+-]?\d{1,10}$/.test(size))
    throw badRequest('Invalid input received: key_size must be an integer.');
  const sent: Fields = size === undefined || size === null ? given : { ...given, key_size: Number(size) };
  const names = { provider: 'provider', control_location: 'controlLocation', cipher: 'cipher', key_size: 'keySize' };
  const fields = Object.entries(names).flatMap(([name, field]) => (name in sent ? [[field, sent[name]]] : []));
  return { sent, fields: Object.fromEntries(fields) as EncryptionFields };
}

/** GET /v3/types/{type_id}/encryption */
export async function list(call: VolumeCall): Promise<Reply> {
  allow(call, rule('get'));
  const encryption = await encryptionOf(call.db, (await typeOf(call)).id);
  return ok(encryption ? view(encryption) : {});
}

/** GET /v3/types/{type_id}/encryption/{encryption_id}: here the name of a fact */
export async function show(call: VolumeCall): Promise<Reply> {
  allow(call, rule('get'));
  const { id } = await typeOf(call);
  const encryption = await encryptionOf(call.db, id);
  const key = call.params['encryption_id']!;
  const values = encryption ? view(encryption) : {};
  if (!Object.hasOwn(values, key)) throw noEncryption(id);
  return ok({ [key]: values[key] });
}

/** POST /v3/types/{type_id}/encryption */
export async function create(call: VolumeCall): Promise<Reply> {
  const { sent, fields } = read(call);
  allow(call, rule('create'));
  await checkUnused(call.db, call.params['type_id']!, 'create');
  const made = await createEncryption(call.db, (await typeOf(call)).id, fields, call.now);
  return ok({ encryption: { ...sent, volume_type_id: made.typeId, encryption_id: made.id } });
}

/** PUT /v3/types/{type_id}/encryption/{encryption_id}: a type has one, whatever the path says. */
export async function update(call: VolumeCall): Promise<Reply> {
  const { sent, fields } = read(call);
  allow(call, rule('update'));
  const { id } = await typeOf(call);
  await checkUnused(call.db, id, 'update');
  await changeEncryption(call.db, id, fields, call.now);
  return ok({ encryption: sent });
}

/** DELETE /v3/types/{type_id}/encryption/{encryption_id} */
export async function remove(call: VolumeCall): Promise<Reply> {
  allow(call, rule('delete'));
  const id = call.params['type_id']!;
  await checkUnused(call.db, id, 'delete');
  await dropEncryption(call.db, id);
  return accepted();
}

/** GET /v3/volumes/{volume_id}/encryption */
export async function showOfVolume(call: VolumeCall): Promise<Reply> {
  const volume = await volumeOf(call);
  allow(call, 'volume_extension:volume_encryption_metadata', volume.projectId);
  const encryption = await encryptionOf(call.db, volume.typeId);
  const of = encryption
    ? {
        control_location: encryption.controlLocation,
        cipher: encryption.cipher,
        key_size: encryption.keySize,
        provider: encryption.provider,
      }
    : {};
  return ok({ encryption_key_id: volume.encrypted ? fixedKey : null, ...of });
}
