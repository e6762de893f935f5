// The only version of Network: its extensions say what else the API has.
import { versions } from '../../kernel/microversion.ts';

export const networkVersions = versions('network', {
  '2.0': 'the API as it is, with the extensions that it lists',
});

export type NetworkVersion = (typeof networkVersions.list)[number]['name'];
