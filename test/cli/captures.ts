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

/** A client of an emulator, in the project of the same name as the user or in another one. */
export async function signIn(
  origin: string,
  user: 'admin' | 'demo' = 'admin',
  project: string = user,
): Promise<Ask> {
  const token = await tokenOf(origin, user, project);
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
/** Lists of Placement and Compute that a cloud and its captured copy must agree on. */
export const listsOfHosts = [
  '/placement/resource_providers',
  '/compute/v2.1/os-hypervisors/detail',
  '/compute/v2.1/os-aggregates',
  '/compute/v2.1/flavors/detail?is_public=None',
  '/compute/v2.1/os-server-groups?all_projects=true',
  '/compute/v2.1/servers/detail?all_tenants=1&sort_key=display_name',
];

/**
 * Lists of all services that a cloud and its captured copy must agree on.
 * @param project the id of the project admin, which the paths of Block Storage name
 */
export const listsIn = (project: string): string[] => [
  ...listsOfHosts,
  '/identity/v3/domains',
  '/identity/v3/projects',
  '/identity/v3/users',
  '/identity/v3/groups',
  '/identity/v3/roles',
  '/identity/v3/role_inferences',
  '/identity/v3/role_assignments?include_names=true',
  ...federation.paths,
  '/clustering/v1/profiles',
  '/clustering/v1/policies',
  '/clustering/v1/clusters',
  '/clustering/v1/nodes',
  '/network/v2.0/address-scopes',
  '/network/v2.0/subnetpools',
  '/network/v2.0/networks',
  '/network/v2.0/rbac-policies',
  '/network/v2.0/address-groups',
  '/network/v2.0/qos/policies',
  '/network/v2.0/service_profiles',
  '/network/v2.0/flavors',
  '/network/v2.0/metering/metering-labels',
  '/network/v2.0/metering/metering-label-rules',
  '/network/v2.0/segments',
  '/network/v2.0/agents?agent_type=Open%20vSwitch%20agent&fields=host&fields=configurations',
  '/network/v2.0/subnets',
  '/network/v2.0/ports',
  '/network/v2.0/trunks',
  '/network/v2.0/routers',
  '/network/v2.0/floatingips',
  '/network/v2.0/security-groups',
  '/network/v2.0/security-group-rules',
  '/network/v2.0/default-security-group-rules',
  '/image/v2/images?visibility=all&os_hidden=true',
  '/image/v2/images?visibility=all',
  `/volume/v3/${project}/types?is_public=None`,
  `/volume/v3/${project}/qos-specs`,
  `/volume/v3/${project}/volumes/detail?all_tenants=1`,
  `/volume/v3/${project}/snapshots/detail?all_tenants=1`,
  `/volume/v3/${project}/group_types?is_public=None`,
  `/volume/v3/${project}/groups/detail?all_tenants=1&list_volume=True`,
  `/volume/v3/${project}/group_snapshots/detail?all_tenants=1`,
  `/volume/v3/${project}/backups/detail?all_tenants=1`,
];

/** A reply without what differs between two clouds by nature: links and times. */
export const comparable = (reply: Json): Json =>
  JSON.parse(
    JSON.stringify(reply, (key, value: unknown) =>
      /links$|^(updated|updated_at|created_at|uptime)$/.test(key) ? undefined : value,
    ),
  ) as Json;

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

/** Writes a clouds.yaml with the cloud `mine`, for a user with a project of the same name. */
export function writeClouds(folder: string, origin: string, user = 'admin'): void {
  const auth = {
    auth_url: `${origin}/identity`,
    username: user,
    password: 'secret',
    project_name: user,
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

const federationRoot = '/identity/v3/OS-FEDERATION';

/** An identity provider with a protocol and a mapping, and a service provider. */
export const federation = {
  /** The lists that have them. */
  paths: [
    'identity_providers',
    'identity_providers/partner/protocols',
    'mappings',
    'service_providers',
  ].map((path) => `${federationRoot}/${path}`),

  async add(ask: Ask, domain: string): Promise<void> {
    const provider = { domain_id: domain, enabled: true, remote_ids: ['https://partner'] };
    const rules = [{ local: [{ user: { name: '{0}' } }], remote: [{ type: 'NAME' }] }];
    const protocol = { mapping_id: 'partners', remote_id_attribute: 'ISS' };
    const urls = { auth_url: 'https://other/v3', sp_url: 'https://other/saml' };
    for (const [path, body] of [
      ['mappings/partners', { mapping: { schema_version: '2.0', rules } }],
      ['identity_providers/partner', { identity_provider: provider }],
      ['identity_providers/partner/protocols/openid', { protocol }],
      ['service_providers/other', { service_provider: urls }],
    ] as const)
      await ask('PUT', `${federationRoot}/${path}`, body);
  },
};
