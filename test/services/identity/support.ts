// Shared by the tests of Identity: signing in, and requests with a token.
import type { Test } from 'supertest';
import { seededId } from '../../../src/services/identity/domain/seeded-ids.ts';
import type { Asked, World } from '../../support/cloud.ts';

export const ids = {
  admin: seededId('user', 'admin'),
  demo: seededId('user', 'demo'),
  adminProject: seededId('project', 'admin'),
  demoProject: seededId('project', 'demo'),
  role: (name: string): string => seededId('role', name),
};

export interface SignIn {
  readonly name?: string;
  readonly password?: string;
  /** `null` for no scope; by default, the project with the user's name. */
  readonly scope?: unknown;
  readonly identity?: object;
}

export const onProject = (name: string): object => ({
  project: { name, domain: { id: 'default' } },
});
export const onSystem = { system: { all: true } };
export const onDomain = (id: string): object => ({ domain: { id } });

/** The body of a sign-in with a password, or with `identity`. */
export function authBody({
  name = 'admin',
  password = 'secret',
  scope = onProject(name),
  identity,
}: SignIn = {}): object {
  const byPassword = {
    methods: ['password'],
    password: { user: { name, password, domain: { id: 'default' } } },
  };
  return { auth: { identity: identity ?? byPassword, ...(scope === null ? {} : { scope }) } };
}

export const signInReply = (world: World, options: SignIn = {}, query = ''): Test =>
  world.ask('identity', 'POST', `/identity/v3/auth/tokens${query}`, {
    token: null,
    body: authBody(options),
  });

/** Signs in, and returns the token. */
export async function signIn(world: World, options: SignIn = {}): Promise<string> {
  const reply = await signInReply(world, options).expect(201);
  return reply.headers['x-subject-token'] as string;
}

/** Sends a request as admin on the project admin, or with the given token. */
export async function ask(
  world: World,
  method: string,
  path: string,
  asked: Asked = {},
): Promise<Awaited<Test>> {
  const token = asked.token === undefined ? await signIn(world) : asked.token;
  return world.ask('identity', method, `/identity${path}`, { ...asked, token });
}

/** Creates a resource and returns it. */
export async function make(
  world: World,
  noun: string,
  fields: object,
  token?: string,
): Promise<Record<string, string> & { id: string }> {
  const reply = await ask(world, 'POST', `/v3/${noun}s`, {
    body: { [noun]: fields },
    ...(token ? { token } : {}),
  });
  if (reply.status !== 201) throw new Error(`${reply.status} ${JSON.stringify(reply.body)}`);
  return (reply.body as Record<string, never>)[noun]!;
}

/** Creates a user with roles on the project demo. @returns the user's id */
export async function makeUser(world: World, name: string, ...roles: string[]): Promise<string> {
  const { id } = await make(world, 'user', { name, password: 'pw' });
  for (const role of roles)
    await ask(world, 'PUT', `/v3/projects/${ids.demoProject}/users/${id}/roles/${ids.role(role)}`);
  return id;
}

export const message = (reply: { body: unknown }): string =>
  (reply.body as { error: { message: string } }).error.message;
