// The rules for flavors: making them, finding those that a project may use, and what a new region has.
import { duplicateKey, isDuplicate } from '../../../kernel/db/errors.ts';
import { conflict, notFound } from '../../../kernel/fault.ts';
import { findFlavor, insertFlavor, type Flavor, type FlavorFields } from '../store/flavors.ts';
import type { Db } from '../../../kernel/db/database.ts';
import type { Work } from '../../../kernel/model.ts';

/** The flavor of that id; with a project, one that the project may use. @throws 404 */
export async function flavorOf(db: Db, flavorid: string, projectId?: string): Promise<Flavor> {
  const flavor = await findFlavor(db, flavorid, projectId);
  if (!flavor) throw notFound(`Flavor ${flavorid} could not be found.`);
  return flavor;
}

/** Creates a flavor. @throws 409 where id or name is taken */
export async function createFlavor({ db, now }: Pick<Work, 'db' | 'now'>, fields: FlavorFields): Promise<Flavor> {
  try {
    await insertFlavor(db, fields, now);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    const clash = duplicateKey(error).includes('flavorid') ? `ID ${fields.flavorid}` : `name ${fields.name}`;
    throw conflict(`Flavor with ${clash} already exists.`);
  }
  return (await findFlavor(db, fields.flavorid))!;
}

const flavor = (flavorid: string, name: string, vcpus: number, memoryMb: number, rootGb: number): FlavorFields => ({
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

/** What a new region has: the flavors of a development cloud. */
export const firstFlavors: readonly FlavorFields[] = [
  flavor('1', 'm1.tiny', 1, 512, 1),
  flavor('2', 'm1.small', 1, 2048, 20),
  flavor('3', 'm1.medium', 2, 4096, 40),
  flavor('4', 'm1.large', 4, 8192, 80),
  flavor('5', 'm1.xlarge', 8, 16_384, 160),
  flavor('42', 'm1.nano', 1, 192, 1),
  flavor('84', 'm1.micro', 1, 256, 1),
  flavor('c1', 'cirros256', 1, 256, 1),
];
