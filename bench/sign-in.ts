// Signs in to Keystone, for the benchmarks of what acts by trusts.

/** A token of the administrator, and the id of its project. */
export async function signIn(origin: string): Promise<{ token: string; project: string }> {
  const domain = { id: 'default' };
  const user = { name: 'admin', password: 'secret', domain };
  const identity = { methods: ['password'], password: { user } };
  const auth = { identity, scope: { project: { name: 'admin', domain } } };
  const reply = await fetch(new URL('/identity/v3/auth/tokens', origin), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ auth }),
  });
  const body = (await reply.json()) as { token: { project: { id: string } } };
  return { token: reply.headers.get('x-subject-token')!, project: body.token.project.id };
}
