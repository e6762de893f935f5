// The migrations of the central database, in order.
import { faults } from './fault-rules.ts';
import { identity } from './identity.ts';
import { identityCredentialKeys } from './identity-credential-keys.ts';
import { identityDelegation } from './identity-delegation.ts';
import { identityPasswords } from './identity-passwords.ts';
import { identityFailedSignIns } from './identity-failed-sign-ins.ts';
import { identityNames } from './identity-names.ts';
import { identityRevocations } from './identity-revocations.ts';
import {
  identityActivity,
  identityFederatedUsers,
  identityFederation,
  identityOAuth,
  identityPasswordAges,
  identityRevocationEvents,
  identitySaml,
  identitySingleSignOn,
} from './identity-sign-in.ts';
import { jobStates } from '../job-states.ts';
import { jobs } from './jobs.ts';
import { journal } from './journal.ts';
import { kernel } from './kernel.ts';
import { plainNames } from './plain-names.ts';
import { projects } from './projects.ts';
import { regions } from './regions.ts';
import { revisions } from '../revisions.ts';
import { serviceSettings } from './service-settings.ts';
import { snapshots } from './snapshots.ts';
import { tricircle } from './tricircle.ts';
import { tricircleChoice } from './tricircle-choice.ts';
import { tricircleMigrations } from './tricircle-migrations.ts';
import { tricircleQuota } from './tricircle-quota.ts';
import type { Migration } from '../../src/kernel/db/database.ts';

export const centralMigrations: readonly Migration[] = [
  kernel,
  identity,
  identityDelegation,
  jobs,
  identityNames,
  identityRevocations,
  identityCredentialKeys,
  regions,
  tricircle,
  faults,
  journal,
  snapshots,
  plainNames,
  serviceSettings,
  jobStates('jobs-2'),
  identityFailedSignIns,
  tricircleChoice,
  tricircleQuota,
  identityPasswords,
  tricircleMigrations,
  projects,
  revisions,
  identityPasswordAges,
  identityRevocationEvents,
  identityOAuth,
  identityFederation,
  identityFederatedUsers,
  identitySaml,
  identitySingleSignOn,
  identityActivity,
];
