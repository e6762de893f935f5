// The handlers of version discovery.
import { ok, reply } from '../../../kernel/http/reply.ts';
import { volumeVersions } from '../versions.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { VolumeCall } from '../call.ts';

function versions(call: VolumeCall): object {
  const { min, max } = volumeVersions;
  const v3 = {
    id: 'v3.0',
    status: 'CURRENT',
    version: max.name,
    min_version: min.name,
    updated: '2021-09-16T00:00:00Z',
    links: [
      { rel: 'describedby', type: 'text/html', href: 'https://docs.openstack.org/' },
      { rel: 'self', href: `${call.origin}${call.prefix}/v3/` },
    ],
    'media-types': [
      { base: 'application/json', type: 'application/vnd.openstack.volume+json;version=3' },
    ],
  };
  return { versions: [v3] };
}

/** GET / */
export const choose = (call: VolumeCall): Reply => reply(300, versions(call));

/** GET /v3 */
export const list = (call: VolumeCall): Reply => ok(versions(call));
