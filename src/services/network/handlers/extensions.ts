// Discovery: the API version, its resources and its extensions.
import { ok } from '../../../kernel/http/reply.ts';
import { extensions } from '../domain/extensions/extensions.ts';
import { absent } from '../domain/refusals.ts';
import type { Call, Reply } from '../../../kernel/model.ts';

const base = (call: Call): string => `${call.origin}${call.prefix}/v2.0/`;

/** GET / */
export const listVersions = (call: Call): Reply =>
  ok({ versions: [{ id: 'v2.0', status: 'CURRENT', links: [{ rel: 'self', href: base(call) }] }] });

/** GET /v2.0/ */
export const listResources = (call: Call): Reply =>
  ok({
    resources: ['network', 'subnet', 'port'].map((name) => ({
      name,
      collection: `${name}s`,
      links: [{ rel: 'self', href: `${base(call)}${name}s` }],
    })),
  });

/** GET /v2.0/extensions */
export const list = (_call: Call): Reply => ok({ extensions: extensions.map(view) });

/** GET /v2.0/extensions/{alias} */
export function show(call: Call): Reply {
  const alias = call.params['alias']!;
  const found = extensions.find((extension) => extension[0] === alias);
  if (!found) throw absent('HTTPNotFound', `Extension with alias ${alias} does not exist`);
  return ok({ extension: view(found) });
}

const view = ([alias, name, description, updated]: (typeof extensions)[number]): object => ({
  alias,
  name,
  description,
  updated: `${updated}T10:00:00-00:00`,
  links: [],
});
