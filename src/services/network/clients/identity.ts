// The client of Identity: the Nova that the catalog lists, if it is outside of this cloud.
export { remoteEndpoint, requestRemote } from '../../identity/index.ts';
