// What Reservation wants of Identity: for whom it acts. Until Identity has a door for trusts, it acts by itself and keeps only a trust's id.
import { idFor, newHexId } from '../../../kernel/ids.ts';
import type { Actor, Work } from '../../../kernel/model.ts';
import { workWith } from '../../../kernel/work.ts';

/** The service itself: an administrator of the project `service`. */
const blazar: Actor = {
  userId: idFor('identity.user.blazar'),
  projectId: idFor('identity.project.service'),
  roles: ['admin', 'member', 'reader', 'service'],
  isAdmin: true,
  isService: true,
  credentials: {
    user_id: idFor('identity.user.blazar'),
    project_id: idFor('identity.project.service'),
    roles: ['admin', 'member', 'reader', 'service'],
  },
};

/** The same work, done by the service itself. */
export const asService = (work: Work): Work => workWith(work, { actor: blazar });

/** Whom a lease belongs to. */
export interface Owner {
  readonly userId: string;
  readonly projectId: string;
  readonly trustId: string | null;
}

/** The same work, done for the owner of a lease. */
export async function asOwner(work: Work, { userId, projectId }: Owner): Promise<Work> {
  if (work.actor.userId === userId && work.actor.projectId === projectId) return work;
  const roles = ['member', 'reader'];
  const credentials = { user_id: userId, project_id: projectId, roles };
  return workWith(work, { actor: { userId, projectId, roles, isAdmin: false, isService: false, credentials } });
}

/** Lets the service act for who asks. @returns the id of the trust */
export async function makeTrust(_work: Work): Promise<string> {
  return newHexId();
}

/** Ends what `makeTrust` has begun. */
export async function dropTrust(_work: Work, _trustId: string | null): Promise<void> {}
