// The client of Identity: the projects and users that a captured cloud has.
export { projectIds, userIds } from '../../identity/index.ts';
