// The version document.
import { reply } from '../../../kernel/http/reply.ts';
import type { Call, Reply } from '../../../kernel/model.ts';
import { clusteringVersions } from '../versions.ts';

/** The URL of the service, with which all links begin. */
export const baseOf = ({ origin, prefix }: Pick<Call, 'origin' | 'prefix'>): string =>
  `${origin}${prefix}`;

export const versionOf = (call: Call): object => ({
  id: '1.0',
  status: 'CURRENT',
  updated: '2016-01-18T00:00:00Z',
  'media-types': [
    { base: 'application/json', type: 'application/vnd.openstack.clustering-v1+json' },
  ],
  links: [
    // In one of the two documents upstream's link is `/v1/v1`, which does not exist.
    { rel: 'self', href: `${baseOf(call)}/v1` },
    { rel: 'help', href: 'https://docs.openstack.org/api-ref/clustering' },
  ],
  min_version: clusteringVersions.min.name,
  max_version: clusteringVersions.max.name,
});

export const chooseVersion = (call: Call): Reply => reply(300, { versions: [versionOf(call)] });
