// The handlers of extra specs: list, show, create, update, delete. Upstream:
// cinder/api/contrib/types_extra_specs.py.
import { badRequest } from '../../../../kernel/errors.ts';
import { ok, reply } from '../../../../kernel/http/reply.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { VolumeCall } from '../../call.ts';
import {
  checkSpecsChangeable,
  noSpec,
  removeExtraSpec,
  writeExtraSpecs,
} from '../../domain/types/extra-specs.ts';
import type { VolumeType } from '../../model.ts';
import { authorize } from '../../policy.ts';
import { visibleSpecs } from '../../views/types.ts';
import { bodyOf, readSpecs, type SpecsBody } from '../requests/body.ts';
import { typeOf } from '../requests/subjects.ts';

const rule = (name: string): string => `volume_extension:types_extra_specs:${name}`;

/** Returns the type in the path. @throws 404; 400 if its extra specs cannot change */
async function changeableType(call: VolumeCall): Promise<VolumeType> {
  const type = await typeOf(call);
  await checkSpecsChangeable(call, type);
  return type;
}

/** GET /v3/types/{type_id}/extra_specs */
export async function list(call: VolumeCall): Promise<Reply> {
  authorize(call, rule('index'));
  return ok({ extra_specs: visibleSpecs(call, (await typeOf(call)).extraSpecs) });
}

/** GET /v3/types/{type_id}/extra_specs/{key} */
export async function show(call: VolumeCall): Promise<Reply> {
  authorize(call, rule('show'));
  const type = await typeOf(call);
  const key = call.params['key']!;
  const specs = visibleSpecs(call, type.extraSpecs);
  if (!Object.hasOwn(specs, key)) throw noSpec(type, key);
  return ok({ [key]: specs[key] });
}

/** POST /v3/types/{type_id}/extra_specs */
export async function create(call: VolumeCall): Promise<Reply> {
  authorize(call, rule('create'));
  const type = await changeableType(call);
  await writeExtraSpecs(call, type, readSpecs(bodyOf(call, 'extra_specs')));
  return ok(call.body);
}

/** PUT /v3/types/{type_id}/extra_specs/{key} */
export async function update(call: VolumeCall): Promise<Reply> {
  authorize(call, rule('update'));
  const type = await changeableType(call);
  const specs = call.body as SpecsBody;
  if (!Object.hasOwn(specs, call.params['key']!)) throw badRequest('Request body and URI mismatch');
  await writeExtraSpecs(call, type, readSpecs(specs));
  return ok(specs);
}

/** DELETE /v3/types/{type_id}/extra_specs/{key} */
export async function remove(call: VolumeCall): Promise<Reply> {
  authorize(call, rule('delete'));
  await removeExtraSpec(call, await changeableType(call), call.params['key']!);
  return reply(202);
}
