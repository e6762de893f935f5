// Version discovery, which needs no token.
import { ok, reply } from '../../../kernel/http/reply.ts';
import { linkTo } from '../views/links.ts';
import type { Call, Reply } from '../../../kernel/model.ts';

/** GET / */
export function list(call: Call): Reply {
  return reply(300, { versions: { values: [v3(call)] } }, { location: linkTo(call, '') });
}

/** GET /v3 */
export const show = (call: Call): Reply => ok({ version: v3(call) });

const v3 = (call: Call): object => ({
  id: 'v3.14',
  status: 'stable',
  updated: '2020-04-07T00:00:00Z',
  links: [{ rel: 'self', href: linkTo(call, '') }],
  'media-types': [{ base: 'application/json', type: 'application/vnd.openstack.identity-v3+json' }],
});
