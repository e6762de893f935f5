// Shared by the tests of federation.
import type { World } from '../../../support/cloud.ts';
import { ask } from '../support.ts';

export const root = '/v3/OS-FEDERATION';

/** A rule that names the user after an attribute of the assertion. */
export const rule = {
  local: [{ user: { name: '{0}' } }],
  remote: [{ type: 'HTTP_OIDC_SUB' }],
};

/** Creates a resource of federation by PUT, and returns it. */
export async function put(
  world: World,
  path: string,
  fields: object = {},
): Promise<Record<string, unknown> & { id: string }> {
  const noun = path.split('/').at(-2)!.replace(/s$/, '');
  const reply = await ask(world, 'PUT', `${root}/${path}`, { body: { [noun]: fields } });
  if (reply.status !== 201) throw new Error(`${reply.status} ${JSON.stringify(reply.body)}`);
  return (reply.body as Record<string, never>)[noun]!;
}
