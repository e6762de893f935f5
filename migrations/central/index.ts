// The history of the central database, in order.
import { identity } from './identity.ts';
import { identityCredentialKeys } from './identity-credential-keys.ts';
import { identityDelegation } from './identity-delegation.ts';
import { identityRevocations } from './identity-revocations.ts';
import { identityNames } from './identity-names.ts';
import { jobs } from './jobs.ts';
import { kernel } from './kernel.ts';
import type { Migration } from '../../src/kernel/db/database.ts';

export const centralMigrations: readonly Migration[] = [
  kernel,
  identity,
  identityDelegation,
  jobs,
  identityNames,
  identityRevocations,
  identityCredentialKeys,
];
