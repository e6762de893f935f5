// The handlers of QoS specs: list, show, create, update, delete, and their associations with types.
// Upstream: cinder/api/contrib/qos_specs_manage.py.
import { badRequest } from '../../../../kernel/errors.ts';
import { accepted, ok } from '../../../../kernel/http/reply.ts';
import type { Reply } from '../../../../kernel/model.ts';
import { isTrue } from '../../../../kernel/oslo/booleans.ts';
import type { VolumeCall } from '../../call.ts';
import * as qos from '../../domain/types/qos-specs.ts';
import { pageLimitsOf } from '../../domain/settings.ts';
import { authorize } from '../../policy.ts';
import { nextLink } from '../../views/links.ts';
import { associationView, qosDetail, qosSummary } from '../../views/qos-specs.ts';
import { isBoolString, plainList, readListQuery } from '../requests/list-query.ts';
import { bodyOf, requiredName, type Fields } from '../requests/body.ts';
import { qosFields } from '../requests/list-fields.ts';
import { qosSpecsOf } from '../requests/subjects.ts';

const rule = (name: string): string => `volume_extension:qos_specs_manage:${name}`;

/** GET /v3/qos-specs */
export async function list(call: VolumeCall): Promise<Reply> {
  authorize(call, rule('get_all'));
  const limits = await pageLimitsOf(call);
  const request = readListQuery(call.query, qosFields, plainList, limits);
  const listed = await qos.listQosSpecs(call, request);
  return ok({
    qos_specs: listed.map(qosSummary),
    ...nextLink(call, 'qos-specs', 'qos_specs_links', listed, limits),
  });
}

/** GET /v3/qos-specs/{qos_id} */
export async function show(call: VolumeCall): Promise<Reply> {
  authorize(call, rule('get'));
  return ok(qosDetail(call, await qosSpecsOf(call)));
}

interface QosSpecsBody extends Fields {
  readonly name: string;
}

/** POST /v3/qos-specs */
export async function create(call: VolumeCall): Promise<Reply> {
  const { name: rawName, ...specs } = bodyOf<QosSpecsBody>(call, 'qos_specs');
  const name = requiredName(rawName);
  authorize(call, rule('create'));
  return ok(qosDetail(call, await qos.createQosSpecs(call, name, specs)));
}

/** PUT /v3/qos-specs/{qos_id} */
export async function update(call: VolumeCall): Promise<Reply> {
  authorize(call, rule('update'));
  await qos.changeQosSpecs(call, await qosSpecsOf(call), bodyOf(call, 'qos_specs'));
  return ok(call.body);
}

/** PUT /v3/qos-specs/{qos_id}/delete_keys */
export async function deleteKeys(call: VolumeCall): Promise<Reply> {
  authorize(call, rule('delete'));
  await qos.removeKeys(call, await qosSpecsOf(call), (call.body as { keys: string[] }).keys);
  return accepted();
}

/** DELETE /v3/qos-specs/{qos_id} */
export async function remove(call: VolumeCall): Promise<Reply> {
  authorize(call, rule('delete'));
  const force = call.query.last('force');
  if (force !== undefined && !isBoolString(force))
    throw badRequest(`Value '${force}' for 'force' is not a boolean.`);
  await qos.removeQosSpecs(call, await qosSpecsOf(call), isTrue(force));
  return accepted();
}

/** GET /v3/qos-specs/{qos_id}/associations */
export async function listAssociations(call: VolumeCall): Promise<Reply> {
  authorize(call, rule('get_all'));
  const types = await qos.associatedTypes(call, await qosSpecsOf(call));
  return ok({ qos_associations: types.map(associationView) });
}

/** Changes the association with the type in the query. Upstream uses GET for this. @throws 400 */
async function changeAssociation(call: VolumeCall, change: typeof qos.associate): Promise<Reply> {
  authorize(call, rule('update'));
  const typeId = call.query.last('vol_type_id');
  if (!typeId) throw badRequest('Volume Type id must not be None.');
  await change(call, await qosSpecsOf(call), typeId);
  return accepted();
}

/** GET /v3/qos-specs/{qos_id}/associate */
export const associateType = (call: VolumeCall): Promise<Reply> =>
  changeAssociation(call, qos.associate);

/** GET /v3/qos-specs/{qos_id}/disassociate */
export const disassociateType = (call: VolumeCall): Promise<Reply> =>
  changeAssociation(call, qos.disassociate);

/** GET /v3/qos-specs/{qos_id}/disassociate_all */
export async function disassociateAll(call: VolumeCall): Promise<Reply> {
  authorize(call, rule('update'));
  await qos.disassociateAll(call, await qosSpecsOf(call));
  return accepted();
}
