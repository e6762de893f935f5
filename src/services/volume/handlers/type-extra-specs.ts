// Extra specs of a volume type: what schedulers and drivers look at.
import { ok, reply } from '../../../kernel/http/reply.ts';
import { badRequest, notFound } from '../../../kernel/fault.ts';
import type { Metadata, VolumeType } from '../domain/records.ts';
import { deleteSpec, writeSpecs } from '../store/types.ts';
import { isTypeInUse } from '../store/volumes.ts';
import { seenSpecs } from '../views/types.ts';
import { allow } from './requests.ts';
import { typeOf } from './types.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { VolumeCall } from '../call.ts';

const rule = (name: string): string => `volume_extension:types_extra_specs:${name}`;

/** @throws 400 where volumes are made as the type was */
async function changeable(call: VolumeCall): Promise<VolumeType> {
  const type = await typeOf(call);
  if (await isTypeInUse(call.db, type.id)) throw badRequest('Volume Type is currently in use.');
  return type;
}

const missing = (type: VolumeType, key: string): Error => notFound(`Volume Type ${type.id} has no extra specs with key ${key}.`);

/** GET /v3/types/{type_id}/extra_specs */
export async function list(call: VolumeCall): Promise<Reply> {
  allow(call, rule('index'));
  return ok({ extra_specs: seenSpecs(call, (await typeOf(call)).extraSpecs) });
}

/** GET /v3/types/{type_id}/extra_specs/{key} */
export async function show(call: VolumeCall): Promise<Reply> {
  allow(call, rule('show'));
  const type = await typeOf(call);
  const key = call.params['key']!;
  const specs = seenSpecs(call, type.extraSpecs);
  if (!Object.hasOwn(specs, key)) throw missing(type, key);
  return ok({ [key]: specs[key] });
}

const textOnly = (specs: Readonly<Record<string, string | null>>): Metadata =>
  Object.fromEntries(Object.entries(specs).map(([name, value]) => [name, value ?? '']));

/** Two specs that do not go together. @throws 400 */
function checkCacheable(specs: Metadata): void {
  if (specs['multiattach'] === '<is> True' && specs['cacheable'] === '<is> True')
    throw badRequest('cacheable cannot be set with multiattach.');
}

/** POST /v3/types/{type_id}/extra_specs */
export async function create(call: VolumeCall): Promise<Reply> {
  allow(call, rule('create'));
  const type = await changeable(call);
  const { extra_specs: given } = call.body as { extra_specs: Record<string, string | null> };
  const specs = textOnly(given);
  checkCacheable({ ...type.extraSpecs, ...specs });
  await writeSpecs(call.db, type.id, specs);
  return ok(call.body);
}

/** PUT /v3/types/{type_id}/extra_specs/{key} */
export async function update(call: VolumeCall): Promise<Reply> {
  allow(call, rule('update'));
  const type = await changeable(call);
  const specs = call.body as Record<string, string | null>;
  if (!Object.hasOwn(specs, call.params['key']!)) throw badRequest('Request body and URI mismatch');
  checkCacheable({ ...type.extraSpecs, ...textOnly(specs) });
  await writeSpecs(call.db, type.id, textOnly(specs));
  return ok(specs);
}

/** DELETE /v3/types/{type_id}/extra_specs/{key} */
export async function remove(call: VolumeCall): Promise<Reply> {
  allow(call, rule('delete'));
  const type = await changeable(call);
  const key = call.params['key']!;
  if (!Object.hasOwn(type.extraSpecs, key)) throw missing(type, key);
  await deleteSpec(call.db, type.id, key);
  return reply(202);
}
