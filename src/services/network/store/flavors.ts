// Which service profiles flavors have.
import { text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { retryOnConstraint } from '../../../kernel/db/errors.ts';
import { grouped } from '../../../kernel/db/grouping.ts';
import { Table } from '../../../kernel/db/table.ts';
import type { Flavor, FlavorDetails, FlavorProfile } from '../model.ts';
import { beingChanged } from './conflicts.ts';

const profiles = new Table<FlavorProfile>(
  'network_flavor_profiles',
  { flavor_id: text, service_profile_id: text },
  { key: ['flavor_id', 'service_profile_id'] },
);

export const isAssociated = (db: Db, pair: FlavorProfile): Promise<boolean> =>
  profiles.exists(db, pair);

/** Whether any flavor has the profile. */
export const isProfileUsed = (db: Db, id: string): Promise<boolean> =>
  profiles.exists(db, { service_profile_id: id });

/** @throws SerializationFailure if another transaction has associated them, or deleted one */
export async function associate(db: Db, pair: FlavorProfile): Promise<void> {
  await retryOnConstraint(profiles.insert(db, pair), () => beingChanged('flavor'));
}

/** @returns whether they were associated */
export const disassociate = async (db: Db, pair: FlavorProfile): Promise<boolean> =>
  (await profiles.remove(db, pair)) > 0;

export async function loadFlavorDetails(
  db: Db,
  flavors: readonly Flavor[],
): Promise<FlavorDetails> {
  const found = await profiles.among(
    db,
    'flavor_id',
    flavors.map(({ id }) => id),
  );
  return { profiles: grouped(found, ({ flavor_id }) => flavor_id) };
}
