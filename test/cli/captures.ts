// Captures an emulator by its public APIs.
import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import {
  createServer,
  request as forward,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { cumulet } from '../kernel/processes.ts';
import { tokenOf } from '../support/tokens.ts';

export type Json = Record<string, any>; // eslint-disable-line

/** The microversions of services other than Compute, by the prefix of their paths. */
const versions: Readonly<Record<string, string>> = {
  placement: 'placement 1.39',
  volume: 'volume 3.70',
};

/** Sends a request, which must succeed, and returns the body of the reply. */
export type Ask = (method: string, path: string, body?: object) => Promise<Json>;

/** A client of an emulator, as admin. */
export async function signIn(origin: string): Promise<Ask> {
  const token = await tokenOf(origin, 'admin');
  return async (method, path, body) => {
    const version = versions[path.split('/')[1]!] ?? 'compute 2.87';
    const reply = await fetch(origin + path, {
      method,
      headers: {
        'x-auth-token': token,
        'openstack-api-version': version,
        'content-type': 'application/json',
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await reply.text();
    expect(reply.status, `${method} ${path}: ${text}`).to.be.lessThan(300);
    return text ? (JSON.parse(text) as Json) : {};
  };
}
/** Signs in as a captured user, with the password that all of them have. */
export async function signInAs(
  origin: string,
  { user, project, domain }: { user: string; project: string; domain: string },
): Promise<void> {
  const named = (name: string) => ({ name, domain: { name: domain } });
  const auth = {
    identity: { methods: ['password'], password: { user: { ...named(user), password: 'secret' } } },
    scope: { project: named(project) },
  };
  const { status } = await fetch(`${origin}/identity/v3/auth/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ auth }),
  });
  expect(status).to.equal(201);
}

/** Writes a clouds.yaml with the cloud `mine`. */
export function writeClouds(folder: string, origin: string): void {
  const auth = {
    auth_url: `${origin}/identity`,
    username: 'admin',
    password: 'secret',
    project_name: 'admin',
    user_domain_id: 'default',
    project_domain_id: 'default',
  };
  writeFileSync(join(folder, 'clouds.yaml'), JSON.stringify({ clouds: { mine: { auth } } }));
}

/** Starts to capture a cloud into mine.ndjson, or another file. */
export const startCapture = (
  folder: string,
  cloud: string,
  more: readonly string[] = [],
  file = 'mine.ndjson',
) =>
  cumulet(['capture', '--cloud', cloud, '-o', join(folder, file), ...more], {
    env: { OS_CLIENT_CONFIG_FILE: join(folder, 'clouds.yaml') },
  });

/** Captures a cloud into mine.ndjson. */
export const captureInto = (folder: string, cloud: string, more: readonly string[] = []) =>
  startCapture(folder, cloud, more).ended;

/**
 * Forwards requests to an emulator, and records them.
 * @param intercept answers a request instead, or leaves it without an answer, and returns true
 */
export async function recorder(
  origin: string,
  requests: string[],
  intercept: (reply: ServerResponse) => boolean = () => false,
): Promise<Server> {
  const server = createServer((incoming: IncomingMessage, outgoing) => {
    if (intercept(outgoing)) return;
    requests.push(`${incoming.method} ${incoming.url}`);
    const { method, headers, url } = incoming;
    const sent = forward(origin + url!, { method, headers }, (reply) => {
      outgoing.writeHead(reply.statusCode!, reply.headers);
      reply.pipe(outgoing);
    });
    incoming.pipe(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

export const originOf = (server: Server): string =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
