// The rules for flavors, their extra specs and access, and the flavors of a new region.
import { duplicateKey, isDuplicate } from '../../../kernel/db/errors.ts';
import { conflict, notFound } from '../../../kernel/errors.ts';
import * as store from '../store/flavors.ts';
import type { Db } from '../../../kernel/db/database.ts';
import type { Context } from '../../../kernel/model.ts';
import type { Flavor, FlavorFields } from '../model.ts';

/** Finds a flavor by its id; with a project, only if the project has access. @throws 404 */
export async function flavorOf(db: Db, flavorid: string, projectId?: string): Promise<Flavor> {
  const flavor = await store.findFlavor(db, flavorid, projectId);
  if (!flavor) throw notFound(`Flavor ${flavorid} could not be found.`);
  return flavor;
}

/** Creates a flavor. @throws 409 if the id or the name is taken */
export async function createFlavor(
  { db, now }: Pick<Context, 'db' | 'now'>,
  fields: FlavorFields,
): Promise<Flavor> {
  try {
    return await store.insertFlavor(db, fields, now);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    const clash = duplicateKey(error).includes('flavorid')
      ? `ID ${fields.flavorid}`
      : `name ${fields.name}`;
    throw conflict(`Flavor with ${clash} already exists.`);
  }
}

/** Updates the description of a flavor. */
export async function updateFlavor(
  { db, now }: Context,
  flavor: Flavor,
  description: string | null,
): Promise<Flavor> {
  await store.updateDescription(db, flavor.id, description, now);
  return { ...flavor, description };
}

/** Deletes a flavor. Servers keep their copies of it. @throws 404 */
export async function deleteFlavor({ db }: Context, flavorid: string): Promise<void> {
  if (!(await store.deleteFlavor(db, flavorid)))
    throw notFound(`Flavor ${flavorid} could not be found.`);
}

/** Gives a project access to a private flavor. @throws 409 if it already has access */
export async function addAccess(
  { db }: Context,
  { id, flavorid }: Flavor,
  projectId: string,
): Promise<void> {
  try {
    await store.insertAccess(db, id, projectId);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw conflict(
      `Flavor access already exists for flavor ${flavorid} and project ${projectId} combination.`,
    );
  }
}

/** Removes a project's access to a private flavor. @throws 404 if it has no access */
export async function removeAccess(
  { db }: Context,
  { id, flavorid }: Flavor,
  projectId: string,
): Promise<void> {
  if (!(await store.deleteAccess(db, id, projectId)))
    throw notFound(`Flavor access not found for ${flavorid} / ${projectId} combination.`);
}

/** Adds or updates extra specs of a flavor. All others are kept. */
export const updateExtraSpecs = (
  { db }: Context,
  { id }: Flavor,
  specs: Flavor['extraSpecs'],
): Promise<void> => store.putExtraSpecs(db, id, specs);

/** The value of an extra spec. @throws 404 if the flavor does not have it */
export function extraSpecOf({ flavorid, extraSpecs }: Flavor, name: string): string {
  if (Object.hasOwn(extraSpecs, name)) return extraSpecs[name]!;
  throw notFound(`Flavor ${flavorid} has no extra specs with key ${name}.`);
}

/** Deletes an extra spec. @throws 404 if the flavor does not have it */
export async function deleteExtraSpec(
  { db }: Context,
  flavor: Flavor,
  name: string,
): Promise<void> {
  extraSpecOf(flavor, name);
  await store.deleteExtraSpec(db, flavor.id, name);
}

/** Whether a flavor belongs to a reservation, which its extra specs show. */
export const isReserved = ({ extraSpecs }: Pick<Flavor, 'extraSpecs'>): boolean =>
  Object.keys(extraSpecs).some(
    (key) =>
      key === 'aggregate_instance_extra_specs:reservation' ||
      key.startsWith('resources:CUSTOM_RESERVATION_'),
  );

const flavor = (
  flavorid: string,
  name: string,
  vcpus: number,
  memoryMb: number,
  rootGb: number,
): FlavorFields => ({
  flavorid,
  name,
  vcpus,
  memoryMb,
  rootGb,
  ephemeralGb: 0,
  swap: 0,
  rxtxFactor: 1,
  isPublic: true,
  description: null,
});

/** The flavors of a new region, which are those of DevStack. */
export const seedFlavors: readonly FlavorFields[] = [
  flavor('1', 'm1.tiny', 1, 512, 1),
  flavor('2', 'm1.small', 1, 2048, 20),
  flavor('3', 'm1.medium', 2, 4096, 40),
  flavor('4', 'm1.large', 4, 8192, 80),
  flavor('5', 'm1.xlarge', 8, 16_384, 160),
  flavor('42', 'm1.nano', 1, 192, 1),
  flavor('84', 'm1.micro', 1, 256, 1),
  flavor('c1', 'cirros256', 1, 256, 1),
];
