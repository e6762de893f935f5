// Signs in to a started emulator over HTTP.

/**
 * A token of demo or admin, in the project of the same name or another one.
 * @throws Error if the emulator refuses
 */
export async function tokenOf(
  origin: string,
  name: 'demo' | 'admin',
  project: string = name,
): Promise<string> {
  const domain = { id: 'default' };
  const user = { name, password: 'secret', domain };
  const auth = {
    identity: { methods: ['password'], password: { user } },
    scope: { project: { name: project, domain } },
  };
  const reply = await fetch(`${origin}/identity/v3/auth/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ auth }),
  });
  const token = reply.headers.get('x-subject-token');
  if (token === null)
    throw new Error(`${name} cannot sign in: ${reply.status} ${await reply.text()}`);
  return token;
}
