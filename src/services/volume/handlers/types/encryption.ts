// The handlers of encryption, of volume types and of their volumes. Upstream:
// cinder/api/contrib/volume_type_encryption.py.
import { badRequest, notFound } from '../../../../kernel/errors.ts';
import { accepted, ok, reply } from '../../../../kernel/http/reply.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { VolumeCall } from '../../call.ts';
import {
  changeEncryption,
  checkUnused,
  createEncryption,
  findEncryption,
  noEncryption,
  removeEncryption,
  type EncryptionFields,
} from '../../domain/types/encryption.ts';
import { authorize } from '../../policy.ts';
import { encryptionView, volumeEncryptionView } from '../../views/type-encryption.ts';
import { bodyOf, type Fields } from '../requests/body.ts';
import { typeOf, volumeOf } from '../requests/subjects.ts';

const rule = (name: string): string => `volume_extension:volume_type_encryption:${name}`;

const fieldNames = {
  provider: 'provider',
  control_location: 'controlLocation',
  cipher: 'cipher',
  key_size: 'keySize',
};

/**
 * Reads the fields in the body, where the key size may be text. Also returns the body as the reply
 * repeats it.
 * @throws 400
 */
function readFields(call: VolumeCall): { echo: Fields; fields: EncryptionFields } {
  const body = bodyOf(call, 'encryption');
  const size = body['key_size'];
  if (typeof size === 'string' && !/^[+-]?\d{1,10}$/.test(size))
    throw badRequest('Invalid input received: key_size must be an integer.');
  const echo: Fields =
    size === undefined || size === null ? body : { ...body, key_size: Number(size) };
  const fields = Object.entries(fieldNames).flatMap(([name, field]) =>
    name in echo ? [[field, echo[name]]] : [],
  );
  return { echo, fields: Object.fromEntries(fields) as EncryptionFields };
}

/** GET /v3/types/{type_id}/encryption */
export async function list(call: VolumeCall): Promise<Reply> {
  authorize(call, rule('get'));
  const encryption = await findEncryption(call, (await typeOf(call)).id);
  return ok(encryption ? encryptionView(encryption) : {});
}

/** GET /v3/types/{type_id}/encryption/{encryption_id}. The id is the name of a field. */
export async function show(call: VolumeCall): Promise<Reply> {
  authorize(call, rule('get'));
  const { id } = await typeOf(call);
  const encryption = await findEncryption(call, id);
  const name = call.params['encryption_id']!;
  const fields = encryption ? encryptionView(encryption) : {};
  if (!Object.hasOwn(fields, name)) throw noEncryption(id);
  return ok({ [name]: fields[name] });
}

/** POST /v3/types/{type_id}/encryption */
export async function create(call: VolumeCall): Promise<Reply> {
  const { echo, fields } = readFields(call);
  authorize(call, rule('create'));
  await checkUnused(call, call.params['type_id']!, 'create');
  const { typeId, id } = await createEncryption(call, (await typeOf(call)).id, fields);
  return ok({ encryption: { ...echo, volume_type_id: typeId, encryption_id: id } });
}

/**
 * PUT /v3/types/{type_id}/encryption/{encryption_id}. The id in the path is ignored, because a type
 * has only one encryption.
 */
export async function update(call: VolumeCall): Promise<Reply> {
  const { echo, fields } = readFields(call);
  authorize(call, rule('update'));
  const { id } = await typeOf(call);
  await checkUnused(call, id, 'update');
  await changeEncryption(call, id, fields);
  return ok({ encryption: echo });
}

/** DELETE /v3/types/{type_id}/encryption/{encryption_id} */
export async function remove(call: VolumeCall): Promise<Reply> {
  authorize(call, rule('delete'));
  const id = call.params['type_id']!;
  await checkUnused(call, id, 'delete');
  await removeEncryption(call, id);
  return accepted();
}

/** GET /v3/volumes/{volume_id}/encryption */
export const showOfVolume = async (call: VolumeCall): Promise<Reply> =>
  ok(await encryptionOfVolume(call));

/**
 * GET /v3/volumes/{volume_id}/encryption/{encryption_id}. The id is the name of a field, whose value
 * is the body, as text. Upstream answers 500 for an unknown field, and for a key size.
 */
export async function showFieldOfVolume(call: VolumeCall): Promise<Reply> {
  const fields = await encryptionOfVolume(call);
  const name = call.params['encryption_id']!;
  if (!Object.hasOwn(fields, name))
    throw notFound(`The encryption of volume ${call.params['volume_id']} has no field ${name}.`);
  const value = fields[name];
  return value === null
    ? reply(200)
    : reply(200, String(value), { 'content-type': 'text/html; charset=UTF-8' });
}

/** The encryption of the volume in the path. @throws 403, 404 */
async function encryptionOfVolume(call: VolumeCall): Promise<Fields> {
  const volume = await volumeOf(call);
  authorize(call, 'volume_extension:volume_encryption_metadata', volume.projectId);
  return volumeEncryptionView(volume, await findEncryption(call, volume.typeId));
}
