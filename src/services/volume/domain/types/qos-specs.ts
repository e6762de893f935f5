// The rules of QoS specs. Upstream: cinder/volume/qos_specs.py.
import { isDuplicate } from '../../../../kernel/db/errors.ts';
import { badRequest, conflict, notFound } from '../../../../kernel/errors.ts';
import { newUuid } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { ListRequest } from '../../store/lists.ts';
import {
  clearAssociations,
  deleteQosSpecs,
  findQosSpecs,
  insertQosSpecs,
  selectQosSpecs,
  setQosSpecsOfType,
  updateQosSpecs,
} from '../../store/qos-specs.ts';
import { findType, listTypes } from '../../store/types.ts';
import { invalidInput, noType } from '../errors.ts';
import { pageFor } from '../lists.ts';
import type { QosSpecs, VolumeType } from '../../model.ts';

type SpecFields = Readonly<Record<string, unknown>>;

const consumers = ['back-end', 'front-end', 'both'];

/** @throws 404 */
export async function qosSpecsFor({ db }: Context, id: string): Promise<QosSpecs> {
  const qos = await findQosSpecs(db, id);
  if (!qos) throw notFound(`No such QoS spec ${id}.`);
  return qos;
}

/** Reads a consumer. @throws 400 for an unknown one */
function consumerOf(value: unknown, otherwise: string): string {
  if (value === undefined || value === null) return otherwise;
  if (typeof value === 'string' && consumers.includes(value)) return value;
  throw badRequest(
    'Invalid qos specs: Valid consumer of QoS specs are: ' +
      "QoSConsumer(default=back-end,nullable=False,valid_values=('back-end', 'front-end', " +
      "'both'))",
  );
}

/** Checks that keys and values are strings of a valid length. @throws 400 */
function checkSpecs(fields: SpecFields): void {
  for (const [key, value] of Object.entries(fields)) {
    if (!key) throw invalidInput(`Key "${key}" has 0 characters, less than 1.`);
    if (key.length > 255)
      throw invalidInput(`Key "${key}" has ${key.length} characters, more than 255.`);
    if (value === null) continue;
    if (typeof value !== 'string')
      throw invalidInput(`Value for key "${key}" is not a string or unicode`);
    if (value.length > 255)
      throw invalidInput(`Value for key "${key}" has ${value.length} characters, more than 255.`);
  }
}

/** Lists the QoS specs on the page that a client requests. @throws 404 for an unknown marker */
export async function listQosSpecs(
  context: Context,
  listRequest: ListRequest<QosSpecs>,
): Promise<QosSpecs[]> {
  const request = { ...listRequest, allTenants: true };
  const findMarker = (marker: string): Promise<QosSpecs> => qosSpecsFor(context, marker);
  return selectQosSpecs(context.db, await pageFor(context, request, findMarker));
}

/** @throws 400, 409 */
export async function createQosSpecs(
  { db, now }: Context,
  name: string,
  fields: SpecFields,
): Promise<QosSpecs> {
  checkSpecs(fields);
  const { consumer, ...specs } = fields;
  const qos: QosSpecs = {
    id: newUuid(),
    name,
    consumer: consumerOf(consumer, 'back-end'),
    specs: specs as QosSpecs['specs'],
    createdAt: now,
    updatedAt: null,
  };
  try {
    await insertQosSpecs(db, qos);
  } catch (error) {
    throw isDuplicate(error) ? conflict(`QoS Specs ${name} already exists.`) : error;
  }
  return qos;
}

/** Adds or replaces specs. @throws 400 */
export async function changeQosSpecs(
  { db, now }: Context,
  qos: QosSpecs,
  fields: SpecFields,
): Promise<void> {
  const { consumer, ...specs } = fields;
  const after = { ...qos.specs, ...specs } as QosSpecs['specs'];
  await updateQosSpecs(db, qos, {
    ...qos,
    consumer: consumerOf(consumer, qos.consumer),
    specs: after,
    updatedAt: now,
  });
}

/** Deletes specs by key. @throws 404, without deleting any, if a key is unknown */
export async function removeKeys(
  { db, now }: Context,
  qos: QosSpecs,
  keys: readonly string[],
): Promise<void> {
  const missing = keys.find((key) => !Object.hasOwn(qos.specs, key));
  if (missing !== undefined) throw notFound(`QoS spec ${qos.id} has no spec with key ${missing}.`);
  const removed = new Set(keys);
  const specs = Object.fromEntries(Object.entries(qos.specs).filter(([key]) => !removed.has(key)));
  await updateQosSpecs(db, qos, { ...qos, specs, updatedAt: now });
}

/** Lists the volume types that are associated with QoS specs. */
export const associatedTypes = async ({ db }: Context, qos: QosSpecs): Promise<VolumeType[]> =>
  (await listTypes(db)).filter((type) => type.qosSpecsId === qos.id);

/** Deletes QoS specs, with `force` even if types are associated with them. @throws 400 */
export async function removeQosSpecs(
  context: Context,
  qos: QosSpecs,
  force: boolean,
): Promise<void> {
  if (!force && (await associatedTypes(context, qos)).length)
    throw badRequest('Qos specs still in use.');
  await disassociateAll(context, qos);
  await deleteQosSpecs(context.db, qos.id);
}

async function typeFor({ db }: Context, typeId: string): Promise<VolumeType> {
  const type = await findType(db, { id: typeId });
  if (!type) throw noType(typeId);
  return type;
}

/** Associates a type that is not associated with other QoS specs. @throws 400, 404 */
export async function associate(context: Context, qos: QosSpecs, typeId: string): Promise<void> {
  const type = await typeFor(context, typeId);
  if (type.qosSpecsId !== null && type.qosSpecsId !== qos.id)
    throw badRequest(
      `Invalid volume type: Type ${typeId} is already associated with another ` +
        `qos specs: ${type.qosSpecsId}`,
    );
  await setQosSpecsOfType(context.db, typeId, qos.id);
}

/** Disassociates a type, unless it is associated with other QoS specs. @throws 404 */
export async function disassociate(context: Context, qos: QosSpecs, typeId: string): Promise<void> {
  const type = await typeFor(context, typeId);
  if (type.qosSpecsId === qos.id) await setQosSpecsOfType(context.db, typeId, null);
}

/** Disassociates all types. */
export const disassociateAll = ({ db }: Context, qos: QosSpecs): Promise<void> =>
  clearAssociations(db, qos.id);
