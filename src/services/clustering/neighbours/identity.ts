// What Clustering asks of Identity: to act for the owner of a cluster, and which regions there are.
import { callerOf } from '../../../kernel/auth/caller.ts';
import type { Work } from '../../../kernel/model.ts';
import { workWith } from '../../../kernel/work.ts';

/** For whom something is done: a user in a project, with the roles that the user had there when asking. */
export interface Principal {
  readonly userId: string;
  readonly projectId: string;
  readonly roles: readonly string[];
}

/** The same work, done for the owner of a cluster: what services see is the owner. */
export function actingFor(work: Work, { userId, projectId, roles }: Principal): Work {
  const { credentials } = callerOf({ token: '', userId, projectId, roles, expiresAt: Infinity });
  return workWith(work, { actor: { userId, projectId, roles, isAdmin: false, isService: false, credentials } });
}

/** The regions of the cloud. */
export const regionNames = ({ cloud }: Work): string[] => [...cloud.regions.keys()];
