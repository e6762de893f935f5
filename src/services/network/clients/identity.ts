// The client of Identity: the Nova that the catalog lists, if it is outside of this cloud, and all
// projects.
export { projectIds, remoteEndpoint, requestRemote } from '../../identity/index.ts';
