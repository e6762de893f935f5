// cumulet capture: reads a cloud with GET requests only, and the captured cloud has the same lists,
// with the inconsistencies of the original.
import { expect } from 'chai';
import { createServer, request as forward, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cumulet } from '../kernel/processes.ts';
import { startEmulator, type Emulator } from '../support/processes.ts';

type Json = Record<string, any>; // eslint-disable-line

/** Forwards requests to an emulator, and records them. */
async function recorder(origin: string, requests: string[]): Promise<Server> {
  const server = createServer((incoming, outgoing) => {
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

const originOf = (server: Server): string =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** A client of an emulator, as admin. */
async function signIn(
  origin: string,
): Promise<(method: string, path: string, body?: object) => Promise<Json>> {
  const user = { name: 'admin', domain: { id: 'default' }, password: 'secret' };
  const scope = { project: { name: 'admin', domain: { id: 'default' } } };
  const identity = { methods: ['password'], password: { user } };
  const issued = await fetch(`${origin}/identity/v3/auth/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ auth: { identity, scope } }),
  });
  expect(issued.status, await issued.text()).to.equal(201);
  const token = issued.headers.get('x-subject-token')!;
  return async (method, path, body) => {
    const version = path.startsWith('/placement') ? 'placement 1.39' : 'compute 2.87';
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

/** What both clouds must agree on. */
const compared = [
  '/placement/resource_providers',
  '/compute/v2.1/os-hypervisors/detail',
  '/compute/v2.1/os-aggregates',
  '/compute/v2.1/flavors/detail?is_public=None',
  '/compute/v2.1/os-server-groups?all_projects=true',
  '/compute/v2.1/servers/detail?all_tenants=1&sort_key=display_name',
];

/** A reply without what differs between two clouds by nature: links, ports, times of rows. */
const comparable = (reply: Json): unknown =>
  JSON.parse(
    JSON.stringify(reply, (key, value: unknown) =>
      ['links', 'addresses', 'updated', 'updated_at', 'created_at', 'security_groups'].includes(key)
        ? undefined
        : value,
    ),
  );

describe('cumulet capture', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-capture-'));
  const requests: string[] = [];
  let original: Emulator;
  let proxy: Server;

  before(async () => {
    original = await startEmulator(['--database', 'memory:', '--preset', 'gpu-farm']);
    proxy = await recorder(original.origin, requests);
    const auth = {
      auth_url: `${originOf(proxy)}/identity`,
      username: 'admin',
      password: 'secret',
      project_name: 'admin',
      user_domain_id: 'default',
      project_domain_id: 'default',
    };
    writeFileSync(join(folder, 'clouds.yaml'), JSON.stringify({ clouds: { mine: { auth } } }));
  });
  after(async () => {
    proxy.close();
    await original.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const capture = (cloud: string) =>
    cumulet(['capture', '--cloud', cloud, '-o', join(folder, 'mine.ndjson')], {
      env: { OS_CLIENT_CONFIG_FILE: join(folder, 'clouds.yaml') },
    }).ended;

  it('keeps providers, hosts, groups, servers and their inconsistencies', async () => {
    const ask = await signIn(original.origin);
    const { images } = await ask('GET', '/image/v2/images');
    const group = { server_group: { name: 'apart', policy: 'anti-affinity' } };
    const { server_group: made } = await ask('POST', '/compute/v2.1/os-server-groups', group);
    const server = { flavorRef: '1', imageRef: images[0].id, networks: 'none' };
    for (const name of ['a', 'b', 'lost'])
      await ask('POST', '/compute/v2.1/servers', {
        server: { ...server, name, metadata: { role: name }, tags: [name] },
        'os:scheduler_hints': { group: made.id },
      });
    const { servers } = await ask('GET', '/compute/v2.1/servers?name=lost');
    await ask('DELETE', `/placement/allocations/${servers[0].id}`);
    const { services } = await ask('GET', '/compute/v2.1/os-services?binary=nova-compute');
    const disabled = { status: 'disabled', disabled_reason: 'broken' };
    await ask('PUT', `/compute/v2.1/os-services/${services[0].id}`, disabled);
    requests.length = 0;

    const { code, out, err } = await capture('mine');
    expect(code, err).to.equal(0);
    expect(out).to.match(/^Captured 3 projects, 30 resource providers, 2 consumers, .* 3 servers /);
    expect(statSync(join(folder, 'mine.ndjson')).mode & 0o777).to.equal(0o600);
    const writes = requests.filter((one) => !one.startsWith('GET '));
    expect(writes).to.deep.equal(['POST /identity/v3/auth/tokens']);

    const copy = await startEmulator([
      '--database',
      'memory:',
      '--seed',
      join(folder, 'mine.ndjson'),
    ]);
    try {
      const askCopy = await signIn(copy.origin);
      for (const path of compared)
        expect(comparable(await askCopy('GET', path)), path).to.deep.equal(
          comparable(await ask('GET', path)),
        );
      const { resource_providers: providers } = await ask('GET', '/placement/resource_providers');
      for (const { uuid } of providers)
        for (const part of ['inventories', 'usages', 'traits', 'aggregates', 'allocations']) {
          const path = `/placement/resource_providers/${uuid}/${part}`;
          expect(await askCopy('GET', path), path).to.deep.equal(await ask('GET', path));
        }
      const { audit } = await askCopy('GET', '/_emulator/audit');
      expect(audit.inconsistencies.map(({ check }: Json) => check)).to.deep.equal([
        'server_without_allocations',
      ]);
    } finally {
      await copy.stop();
    }
  });

  it('says what is wrong with clouds.yaml', async () => {
    const { code, err } = await capture('other');
    expect(code).to.equal(1);
    expect(err).to.include("has no cloud 'other'. Clouds: mine.");
  });
});
