// How to sign in to a cloud: from a clouds.yaml, as other OpenStack clients find and read it.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { contentOf, parseYaml } from '../worlds/yaml-file.ts';

/** How to sign in to a cloud, and which region to read. */
export interface CloudAccess {
  readonly authUrl: string;
  /** The `auth` of a request for a token. */
  readonly auth: object;
  /** Undefined for the first one in the catalog. */
  readonly region: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** Where a clouds.yaml is looked for, in this order. */
const places = (): string[] =>
  [
    process.env['OS_CLIENT_CONFIG_FILE'],
    'clouds.yaml',
    join(homedir(), '.config', 'openstack', 'clouds.yaml'),
    '/etc/openstack/clouds.yaml',
  ].filter((place) => place !== undefined);

/**
 * Reads how to sign in to a cloud of the first clouds.yaml that exists.
 * @throws Error if there is none, if it does not have the cloud, or if that has no credentials
 */
export function accessOf(cloud: string, region: string | undefined): CloudAccess {
  const file = places().find((place) => existsSync(place));
  if (file === undefined)
    throw new Error(`There is no clouds.yaml. It is looked for at: ${places().join(', ')}.`);
  const { clouds = {} } = (contentOf(parseYaml(file)) ?? {}) as { clouds?: Fields };
  const found = clouds[cloud] as Fields | undefined;
  if (!found) {
    const names = Object.keys(clouds).join(', ') || 'none';
    throw new Error(`${file} has no cloud '${cloud}'. Clouds: ${names}.`);
  }
  const given = (found['auth'] ?? {}) as Readonly<Record<string, string | undefined>>;
  if (given['auth_url'] === undefined)
    throw new Error(`${file}: the cloud '${cloud}' has no auth_url.`);
  return {
    authUrl: given['auth_url'],
    auth: requestOf(given) ?? unknownCredentials(file, cloud),
    region: region ?? (found['region_name'] as string | undefined),
  };
}

function unknownCredentials(file: string, cloud: string): never {
  throw new Error(
    `${file}: the cloud '${cloud}' has neither a password nor an application credential.`,
  );
}

/** The `auth` of a request for a token; undefined without a password or application credential. */
function requestOf(given: Readonly<Record<string, string | undefined>>): object | undefined {
  const id = given['application_credential_id'];
  if (id !== undefined) {
    const secret = given['application_credential_secret'];
    const credential = { id, secret };
    return {
      identity: { methods: ['application_credential'], application_credential: credential },
    };
  }
  const { password } = given;
  if (password === undefined) return undefined;
  const user = { ...subject(given, 'user', given['username']), password };
  const project = subject(given, 'project', given['project_name']);
  return {
    identity: { methods: ['password'], password: { user } },
    ...(Object.keys(project).length ? { scope: { project } } : {}),
  };
}

/** A user or a project, by id or by name and domain. */
function subject(
  given: Readonly<Record<string, string | undefined>>,
  kind: 'user' | 'project',
  name: string | undefined,
): object {
  const id = given[`${kind}_id`];
  if (id !== undefined) return { id };
  if (name === undefined) return {};
  const domainId = given[`${kind}_domain_id`] ?? given['domain_id'];
  const domainName = given[`${kind}_domain_name`] ?? given['domain_name'] ?? 'Default';
  return { name, domain: domainId === undefined ? { name: domainName } : { id: domainId } };
}
