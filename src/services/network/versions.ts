// The one version of Network: what it can do besides is told by its extensions.
import { versions } from '../../kernel/microversion.ts';

export const networkVersions = versions('network', { '2.0': 'the API as it is, with the extensions that it lists' });

export type NetworkVersion = (typeof networkVersions.list)[number]['name'];
