// The only version of Network's API. Extensions define the rest of the API.
import { versions } from '../../kernel/microversion.ts';

export const networkVersions = versions('network', {
  '2.0': 'the API as it is, with the extensions that it lists',
});

export type NetworkVersion = (typeof networkVersions.list)[number]['name'];
