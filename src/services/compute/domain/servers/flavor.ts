// A flavor as a server keeps it.
import { badRequest } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { bumpFlavorRevision, findFlavor } from '../../store/flavors.ts';
import { isReserved } from '../flavors.ts';
import type { ServerFlavor } from '../../model.ts';

/**
 * The flavor of that id, as a server will keep it.
 * @throws 400 where there is none, or the actor's project may not use it
 */
export async function serverFlavor({ db, actor }: Context, id: string): Promise<ServerFlavor> {
  const flavor = await findFlavor(db, id, actor.isAdmin ? undefined : (actor.projectId ?? ''));
  if (!flavor) throw badRequest(`Flavor ${id} could not be found.`);
  // Who ends a reservation deletes its servers and then its flavor: one that is asked for meanwhile
  // would have neither.
  if (isReserved(flavor)) await bumpFlavorRevision(db, flavor);
  return {
    id: flavor.flavorid,
    name: flavor.name,
    vcpus: flavor.vcpus,
    ram: flavor.memoryMb,
    disk: flavor.rootGb,
    ephemeral: flavor.ephemeralGb,
    swap: flavor.swap,
    extraSpecs: flavor.extraSpecs,
  };
}
