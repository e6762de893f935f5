// The rules of QoS specs. Upstream: cinder/volume/qos_specs.py.
import { isDuplicate } from '../../../../kernel/db/errors.ts';
import { badRequest, conflict, notFound } from '../../../../kernel/errors.ts';
import { newUuid } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { ListRequest } from '../../store/lists.ts';
import {
  clearTypesQos,
  deleteQos,
  findQos,
  insertQos,
  qosRow,
  selectQos,
  setTypeQos,
  updateQos,
} from '../../store/qos-specs.ts';
import { allTypes, findType } from '../../store/types.ts';
import { invalidInput, noType } from '../errors.ts';
import { listingFor } from '../lists.ts';
import type { QosSpecs, VolumeType } from '../../model.ts';

type SpecFields = Readonly<Record<string, unknown>>;

const consumers = ['back-end', 'front-end', 'both'];

/** @throws 404 */
export async function qosFor({ db }: Context, id: string): Promise<QosSpecs> {
  const qos = await findQos(db, id);
  if (!qos) throw notFound(`No such QoS spec ${id}.`);
  return qos;
}

/** @throws 400 for a consumer that there is not */
function consumerOf(value: unknown, otherwise: string): string {
  if (value === undefined || value === null) return otherwise;
  if (typeof value === 'string' && consumers.includes(value)) return value;
  throw badRequest(
    "Invalid qos specs: Valid consumer of QoS specs are: QoSConsumer(default=back-end,nullable=False,valid_values=('back-end', 'front-end', 'both'))",
  );
}

/** Checks that names and values are strings of a legal length. @throws 400 */
function checkSpecs(given: SpecFields): void {
  for (const [key, value] of Object.entries(given)) {
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

/** The QoS specs that a list request asks for. @throws 404 for the marker */
export async function listQos(context: Context, request: ListRequest): Promise<QosSpecs[]> {
  const ofAll = { ...request, allTenants: true };
  return selectQos(
    context.db,
    await listingFor(context, ofAll, async (marker) => qosRow(await qosFor(context, marker))),
  );
}

/** @throws 400, 409 */
export async function createQos(
  { db, now }: Context,
  name: string,
  given: SpecFields,
): Promise<QosSpecs> {
  checkSpecs(given);
  const { consumer, ...specs } = given;
  const qos: QosSpecs = {
    id: newUuid(),
    name,
    consumer: consumerOf(consumer, 'back-end'),
    specs: specs as QosSpecs['specs'],
    createdAt: now,
    updatedAt: null,
  };
  try {
    await insertQos(db, qos);
  } catch (error) {
    throw isDuplicate(error) ? conflict(`QoS Specs ${name} already exists.`) : error;
  }
  return qos;
}

/** Adds or changes specs. @throws 400 */
export async function changeQos(
  { db, now }: Context,
  qos: QosSpecs,
  given: SpecFields,
): Promise<void> {
  const { consumer, ...specs } = given;
  const after = { ...qos.specs, ...specs } as QosSpecs['specs'];
  await updateQos(db, qos, {
    ...qos,
    consumer: consumerOf(consumer, qos.consumer),
    specs: after,
    updatedAt: now,
  });
}

/** Deletes specs, all of those named or none. @throws 404 */
export async function removeKeys(
  { db, now }: Context,
  qos: QosSpecs,
  keys: readonly string[],
): Promise<void> {
  const missing = keys.find((key) => !Object.hasOwn(qos.specs, key));
  if (missing !== undefined) throw notFound(`QoS spec ${qos.id} has no spec with key ${missing}.`);
  const specs = Object.fromEntries(
    Object.entries(qos.specs).filter(([key]) => !keys.includes(key)),
  );
  await updateQos(db, qos, { ...qos, specs, updatedAt: now });
}

/** The volume types that are associated with QoS specs. */
export const typesWith = async ({ db }: Context, qos: QosSpecs): Promise<VolumeType[]> =>
  (await allTypes(db)).filter((type) => type.qosSpecsId === qos.id);

/** Deletes QoS specs; `force` also those that are associated with types. @throws 400 */
export async function removeQos(context: Context, qos: QosSpecs, force: boolean): Promise<void> {
  if (!force && (await typesWith(context, qos)).length) throw badRequest('Qos specs still in use.');
  await disassociateAll(context, qos);
  await deleteQos(context.db, qos.id);
}

async function typeFor({ db }: Context, typeId: string): Promise<VolumeType> {
  const type = await findType(db, { id: typeId });
  if (!type) throw noType(typeId);
  return type;
}

/** Associates a type that has no other QoS specs. @throws 400, 404 */
export async function associate(context: Context, qos: QosSpecs, typeId: string): Promise<void> {
  const type = await typeFor(context, typeId);
  if (type.qosSpecsId !== null && type.qosSpecsId !== qos.id)
    throw badRequest(
      `Invalid volume type: Type ${typeId} is already associated with another qos specs: ${type.qosSpecsId}`,
    );
  await setTypeQos(context.db, typeId, qos.id);
}

/** Disassociates a type; one that has other QoS specs stays as it is. @throws 404 */
export async function disassociate(context: Context, qos: QosSpecs, typeId: string): Promise<void> {
  const type = await typeFor(context, typeId);
  if (type.qosSpecsId === qos.id) await setTypeQos(context.db, typeId, null);
}

/** Disassociates all types. */
export const disassociateAll = ({ db }: Context, qos: QosSpecs): Promise<void> =>
  clearTypesQos(db, qos.id);
