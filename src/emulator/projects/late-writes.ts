// Removes what a request has written for a throw-away project that was deleted meanwhile.
import { renderUnauthorized } from '../../kernel/http/unauthorized.ts';
import type { Context, Interceptor, Reply, RoutedRequest } from '../../kernel/model.ts';
import { removeFromRegions, systemOf } from './projects.ts';
import { findProject } from './store.ts';

/** The domain of ordinary projects, whose requests pay nothing. */
const ordinaryDomain = 'default';

/**
 * A request that is under way while its project is deleted has a valid token, and may commit after
 * its region has been cleaned. It looks at the account again after its transaction: the deletion
 * ends the tokens before it cleans any region, so a request that the cleaning has missed sees that.
 */
export const lateWrites: Interceptor = {
  aroundHandler(request, next) {
    const { projectId, credentials } = request.actor;
    const { project_domain_id: domainId } = credentials;
    const isOrdinary = domainId === undefined || domainId === null || domainId === ordinaryDomain;
    const writesToRegion = request.service.definition.database === 'region';
    if (isOrdinary || projectId === undefined || !writesToRegion) return next();
    return runInProject(request, { projectId, domainId }, next);
  },
};

async function runInProject(
  request: RoutedRequest,
  { projectId, domainId }: { readonly projectId: string; readonly domainId: string },
  next: () => Promise<Reply>,
): Promise<Reply> {
  const { cloud, actor, now } = request;
  const central = systemOf(cloud, now);
  const project = await findProject(central.db, projectId);
  if (!project) {
    if (await isOpen(central, domainId)) return next();
    return renderUnauthorized(request);
  }
  try {
    return await next();
  } finally {
    if (!(await isOpen(central, domainId))) {
      const isOwnUser = actor.credentials.user_domain_id === domainId;
      const userIds = [project.userId, ...(isOwnUser ? [actor.userId] : [])];
      const owners = { projectIds: [projectId], userIds };
      await removeFromRegions(central, owners, { ...project, projectId });
    }
  }
}

async function isOpen(central: Context, domainId: string): Promise<boolean> {
  for (const { definition } of central.cloud.services) {
    const open = await definition.throwaway?.isAccountOpen?.(central, domainId);
    if (open !== undefined) return open;
  }
  return true;
}
