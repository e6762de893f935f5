// What is inconsistent in the inventories of Placement.
import type { Audited, Inconsistency } from '../../../emulator/audit/model.ts';
import type { Context } from '../../../kernel/model.ts';
import { countProviders, overusedInventories, type OverusedInventory } from '../store/audit.ts';

/** Reports inventories of which more is allocated than they have. */
export async function auditPlacement({ db }: Context): Promise<Audited> {
  return {
    examined: { 'resource providers': await countProviders(db) },
    inconsistencies: (await overusedInventories(db)).map(overused),
  };
}

function overused(inventory: OverusedInventory): Inconsistency {
  const { providerUuid, providerName, className, total, reserved, allocationRatio, used } =
    inventory;
  const capacity = Math.floor((total - reserved) * allocationRatio);
  const enough = Math.ceil(used / allocationRatio) + reserved;
  return {
    check: 'inventory_overused',
    resource: { type: 'resource_provider', id: providerUuid, name: providerName },
    text:
      `Consumers use ${used} ${className} of provider ${providerName}, which has ${capacity} ` +
      `((${total} - ${reserved} reserved) * ${allocationRatio}).`,
    repair: [
      `openstack resource provider inventory set ${providerUuid} --amend ` +
        `--resource ${className}:total=${enough}`,
    ],
  };
}
