// The rules of QoS specs. Upstream: cinder/volume/qos_specs.py.
import type { Micros } from '../../../kernel/clock.ts';
import { isDuplicate } from '../../../kernel/db/errors.ts';
import { badRequest, conflict, notFound } from '../../../kernel/fault.ts';
import { newUuid } from '../../../kernel/ids.ts';
import { deleteQos, dropTypesQos, findQos, insertQos, setTypeQos, updateQos } from '../store/qos.ts';
import { allTypes, findType } from '../store/types.ts';
import type { QosSpecs, VolumeType } from './records.ts';
import { invalidInput, noType } from './refusals.ts';
import type { Db } from '../../../kernel/db/database.ts';

type Given = Readonly<Record<string, unknown>>;

const consumers = ['back-end', 'front-end', 'both'];

/** @throws 404 */
export async function qosById(db: Db, id: string): Promise<QosSpecs> {
  const qos = await findQos(db, id);
  if (!qos) throw notFound(`No such QoS spec ${id}.`);
  return qos;
}

/** @throws 400 for a consumer that nobody knows */
function consumerOf(value: unknown, otherwise: string): string {
  if (value === undefined || value === null) return otherwise;
  if (typeof value === 'string' && consumers.includes(value)) return value;
  throw badRequest(
    "Invalid qos specs: Valid consumer of QoS specs are: QoSConsumer(default=back-end,nullable=False,valid_values=('back-end', 'front-end', 'both'))",
  );
}

/** What QoS specs are written with: words, by words. @throws 400 */
function checkWords(given: Given): void {
  for (const [key, value] of Object.entries(given)) {
    if (!key) throw invalidInput(`Key "${key}" has 0 characters, less than 1.`);
    if (key.length > 255) throw invalidInput(`Key "${key}" has ${key.length} characters, more than 255.`);
    if (value === null) continue;
    if (typeof value !== 'string') throw invalidInput(`Value for key "${key}" is not a string or unicode`);
    if (value.length > 255) throw invalidInput(`Value for key "${key}" has ${value.length} characters, more than 255.`);
  }
}

/** @throws 400, 409 */
export async function createQos(db: Db, name: string, given: Given, now: Micros): Promise<QosSpecs> {
  checkWords(given);
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

/** Writes some of the specs. @throws 400 */
export async function changeQos(db: Db, qos: QosSpecs, given: Given, now: Micros): Promise<void> {
  const { consumer, ...specs } = given;
  const after = { ...qos.specs, ...specs } as QosSpecs['specs'];
  await updateQos(db, qos, { ...qos, consumer: consumerOf(consumer, qos.consumer), specs: after, updatedAt: now });
}

/** Takes some of the specs away, all or none. @throws 404 */
export async function dropKeys(db: Db, qos: QosSpecs, keys: readonly string[], now: Micros): Promise<void> {
  const missing = keys.find((key) => !Object.hasOwn(qos.specs, key));
  if (missing !== undefined) throw notFound(`QoS spec ${qos.id} has no spec with key ${missing}.`);
  const specs = Object.fromEntries(Object.entries(qos.specs).filter(([key]) => !keys.includes(key)));
  await updateQos(db, qos, { ...qos, specs, updatedAt: now });
}

/** The types that have these specs. */
export const typesWith = async (db: Db, qosId: string): Promise<VolumeType[]> =>
  (await allTypes(db)).filter((type) => type.qosSpecsId === qosId);

/** @throws 400 where types have them and `force` is not said */
export async function dropQos(db: Db, qos: QosSpecs, force: boolean): Promise<void> {
  if (!force && (await typesWith(db, qos.id)).length) throw badRequest('Qos specs still in use.');
  await dropTypesQos(db, qos.id);
  await deleteQos(db, qos.id);
}

async function typeFor(db: Db, typeId: string): Promise<VolumeType> {
  const type = await findType(db, { id: typeId });
  if (!type) throw noType(typeId);
  return type;
}

/** Gives the specs to a type that has no others. @throws 400, 404 */
export async function associate(db: Db, qos: QosSpecs, typeId: string): Promise<void> {
  const type = await typeFor(db, typeId);
  if (type.qosSpecsId !== null && type.qosSpecsId !== qos.id)
    throw badRequest(`Invalid volume type: Type ${typeId} is already associated with another qos specs: ${type.qosSpecsId}`);
  await setTypeQos(db, typeId, qos.id);
}

/** Takes the specs from a type that has them. @throws 404 */
export async function disassociate(db: Db, qos: QosSpecs, typeId: string): Promise<void> {
  const type = await typeFor(db, typeId);
  if (type.qosSpecsId === qos.id) await setTypeQos(db, typeId, null);
}
