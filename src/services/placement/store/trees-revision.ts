// The revision of provider trees: of providers, their traits and aggregates, and their inventories
// except `used`.
import type { Db } from '../../../kernel/db/database.ts';
import { changeRevision } from '../../../kernel/db/kept/revisions.ts';

export const treesRevision = 'placement.trees';

/** Providers are in this many parts, by their ids, so that few of them are read after a change. */
export const treeParts = 32;

/** Gives a provider a new revision. Every write of it begins with this. */
export const providerChange = (db: Db, id: number): void =>
  changeRevision(db, treesRevision, id % treeParts);

/** Gives all providers a new revision, for a write whose providers are not known. */
export const allProvidersChange = (db: Db): void => changeRevision(db, treesRevision);
