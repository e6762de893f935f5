// The history of the central database, in order.
import type { Migration } from '../../src/kernel/db/migrate.ts';
import { identity } from './identity.ts';
import { identityDelegation } from './identity-delegation.ts';
import { kernel } from './kernel.ts';

export const centralMigrations: readonly Migration[] = [kernel, identity, identityDelegation];
