// QoS specs: list, show, create, update, delete, and the types that have them. Upstream: cinder/api/contrib/qos_specs_manage.py.
import { accepted, ok } from '../../../kernel/http/reply.ts';
import { badRequest } from '../../../kernel/fault.ts';
import { isTrue, readQuery, type Kind } from '../domain/list-query.ts';
import { associate, changeQos, createQos, disassociate, dropKeys, dropQos, qosById, typesWith } from '../domain/qos.ts';
import type { QosSpecs } from '../domain/records.ts';
import { dropTypesQos, listQos, qosPlace } from '../store/qos.ts';
import { linksOf, nextLink } from '../views/links.ts';
import { allow, bodyOf } from './requests.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { VolumeCall } from '../call.ts';

const rule = (name: string): string => `volume_extension:qos_specs_manage:${name}`;

// Upstream keeps the name and the consumer among the specs, where no filter finds them.
const kind: Kind = {
  columns: { id: 'id' },
  open: [],
  booleans: [],
  numbers: [],
  sortable: { id: 'id', created_at: 'created_at', updated_at: 'updated_at' },
  empty: [],
};

const summary = ({ id, name, consumer, specs }: QosSpecs): object => ({ id, name, consumer, specs });

const detail = (call: VolumeCall, qos: QosSpecs): object => ({
  qos_specs: summary(qos),
  links: linksOf(call, 'qos-specs', qos.id),
});

const qosOf = (call: VolumeCall): Promise<QosSpecs> => qosById(call.db, call.params['qos_id']!);

/** GET /v3/qos-specs */
export async function list(call: VolumeCall): Promise<Reply> {
  allow(call, rule('get_all'));
  const { marker, ...listing } = readQuery(call.query, kind, {
    isAdmin: true,
    refusesUnknown: false,
    findsParts: false,
    strictBooleans: false,
    notYet: [],
    withCount: false,
  });
  const after = marker === undefined ? undefined : qosPlace(await qosById(call.db, marker));
  const found = await listQos(call.db, { ...listing, projectId: undefined, after });
  return ok({ qos_specs: found.map(summary), ...nextLink(call, 'qos-specs', 'qos_specs_links', found) });
}

/** GET /v3/qos-specs/{qos_id} */
export async function show(call: VolumeCall): Promise<Reply> {
  allow(call, rule('get'));
  return ok(detail(call, await qosOf(call)));
}

/** POST /v3/qos-specs */
export async function create(call: VolumeCall): Promise<Reply> {
  const { name, ...specs } = bodyOf(call, 'qos_specs');
  const trimmed = nameOf(name);
  allow(call, rule('create'));
  return ok(detail(call, await createQos(call.db, trimmed, specs, call.now)));
}

/** @throws 400 */
function nameOf(value: unknown): string {
  const name = (value as string).trim();
  if (!value) throw badRequest("An invalid 'name' value was provided. The 'name' can not be None.");
  if (!name) throw badRequest("An invalid 'name' value was provided. The 'name' can not be empty.");
  if (name.length > 255)
    throw badRequest("An invalid 'name' value was provided. The 'name' can not be greater than 255 characters.");
  return name;
}

/** PUT /v3/qos-specs/{qos_id} */
export async function update(call: VolumeCall): Promise<Reply> {
  allow(call, rule('update'));
  await changeQos(call.db, await qosOf(call), bodyOf(call, 'qos_specs'), call.now);
  return ok(call.body);
}

/** PUT /v3/qos-specs/{qos_id}/delete_keys */
export async function deleteKeys(call: VolumeCall): Promise<Reply> {
  allow(call, rule('delete'));
  await dropKeys(call.db, await qosOf(call), (call.body as { keys: string[] }).keys, call.now);
  return accepted();
}

/** DELETE /v3/qos-specs/{qos_id} */
export async function remove(call: VolumeCall): Promise<Reply> {
  allow(call, rule('delete'));
  const force = call.query.last('force');
  if (force !== undefined && !/^(1|t|true|on|y|yes|0|f|false|off|n|no)$/i.test(force))
    throw badRequest(`Value '${force}' for 'force' is not a boolean.`);
  await dropQos(call.db, await qosOf(call), isTrue(force));
  return accepted();
}

/** GET /v3/qos-specs/{qos_id}/associations */
export async function listAssociations(call: VolumeCall): Promise<Reply> {
  allow(call, rule('get_all'));
  const { id } = await qosOf(call);
  const types = await typesWith(call.db, id);
  return ok({ qos_associations: types.map((type) => ({ association_type: 'volume_type', name: type.name, id: type.id })) });
}

/** Changes which type has the specs; upstream does so at a GET. */
async function onType(
  call: VolumeCall,
  change: (db: VolumeCall['db'], qos: QosSpecs, typeId: string) => Promise<void>,
): Promise<Reply> {
  allow(call, rule('update'));
  const typeId = call.query.last('vol_type_id');
  if (!typeId) throw badRequest('Volume Type id must not be None.');
  await change(call.db, await qosOf(call), typeId);
  return accepted();
}

/** GET /v3/qos-specs/{qos_id}/associate */
export const associateType = (call: VolumeCall): Promise<Reply> => onType(call, associate);

/** GET /v3/qos-specs/{qos_id}/disassociate */
export const disassociateType = (call: VolumeCall): Promise<Reply> => onType(call, disassociate);

/** GET /v3/qos-specs/{qos_id}/disassociate_all */
export async function disassociateAll(call: VolumeCall): Promise<Reply> {
  allow(call, rule('update'));
  await dropTypesQos(call.db, (await qosOf(call)).id);
  return accepted();
}
