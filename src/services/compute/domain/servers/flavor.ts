// Finds the flavor for a server, and copies it for the server's record.
import type { Db } from '../../../../kernel/db/database.ts';
import { once } from '../../../../kernel/db/transaction.ts';
import { badRequest } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { bumpFlavorRevision, findFlavor } from '../../store/flavors.ts';
import { isReserved } from '../flavors.ts';
import type { Flavor, ServerFlavor } from '../../model.ts';

/**
 * Finds a flavor, and returns the copy that a server stores.
 * @throws 400 if the flavor is unknown, or the actor's project has no access to it
 */
export async function serverFlavor({ db, actor }: Context, id: string): Promise<ServerFlavor> {
  const project = actor.isAdmin ? undefined : (actor.projectId ?? '');
  const flavor = await once(db, `compute.flavor.${id} ${project}`, () =>
    findProtected(db, id, project),
  );
  if (!flavor) throw badRequest(`Flavor ${id} could not be found.`);
  return copyOf(flavor);
}

/**
 * Finds a flavor, and bumps its revision if it belongs to a reservation. The end of a reservation
 * deletes its servers and then its flavor: a server that is created concurrently would outlive
 * them.
 */
async function findProtected(
  db: Db,
  id: string,
  project: string | undefined,
): Promise<Flavor | undefined> {
  const flavor = await findFlavor(db, id, project);
  if (flavor && isReserved(flavor)) await bumpFlavorRevision(db, flavor);
  return flavor;
}

/** The copy of a flavor that a server stores. */
export const copyOf = (flavor: Flavor): ServerFlavor => ({
  id: flavor.flavorid,
  name: flavor.name,
  vcpus: flavor.vcpus,
  ram: flavor.memoryMb,
  disk: flavor.rootGb,
  ephemeral: flavor.ephemeralGb,
  swap: flavor.swap,
  extraSpecs: flavor.extraSpecs,
});
