// How clients sign in to a cloud: with which passwords, at another Keystone, or not at all.
import { isMounted } from '../../kernel/http/mounts.ts';
import { urlAt } from '../../kernel/http/native-ports.ts';
import type { Cloud } from '../../kernel/model.ts';
import { regionNames } from '../../kernel/regions.ts';
import { defaultPassword } from '../../kernel/settings.ts';
import { authorityFile } from '../../kernel/tls/settings.ts';
import type { ClientConfig, SignIn } from './model.ts';

/** The configuration of clients that reach the cloud at this address. */
export async function clientConfigOf(cloud: Cloud, origin: string): Promise<ClientConfig> {
  const cacert = origin.startsWith('https:') ? authorityFile(cloud.config) : undefined;
  return { origin, cacert, regions: regionNames(cloud), signIn: await signInOf(cloud, origin) };
}

async function signInOf(cloud: Cloud, origin: string): Promise<SignIn> {
  const { auth, keystone, adminPassword } = cloud.config;
  if (auth === 'noauth2') return { kind: 'none', endpoints: endpointsOf(cloud, origin) };
  if (keystone !== undefined) return { kind: 'elsewhere', keystone };
  // Only hashes are stored, so the passwords are looked for among those that this process knows.
  const passwords: Record<string, string> = {};
  if (adminPassword !== defaultPassword)
    for (const user of await cloud.seededUsersWith(adminPassword)) passwords[user] = adminPassword;
  for (const user of await cloud.defaultPassword.current(cloud))
    passwords[user] ??= defaultPassword;
  return {
    kind: 'password',
    passwords: { admin: passwords['admin'], demo: passwords['demo'] },
  };
}

/** The endpoints of the services in the first region, by the types in the catalog. */
function endpointsOf(cloud: Cloud, origin: string): Record<string, string> {
  const endpoints: Record<string, string> = {};
  for (const { definition } of cloud.services) {
    const { type, aliases = [], prefix, catalogPath = '', database } = definition;
    const region = database === 'region' ? cloud.firstRegion : undefined;
    if (type === undefined || !isMounted(cloud, definition, region)) continue;
    const url = urlAt(cloud, origin, prefix + catalogPath.replace('$(project_id)s', 'admin'));
    for (const name of [type, ...aliases.map((alias) => alias.type)]) endpoints[name] = url;
  }
  return endpoints;
}
