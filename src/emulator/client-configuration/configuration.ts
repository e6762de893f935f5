// Builds configuration for OpenStack clients: OS_* environment variables and clouds.yaml.
import { loadYaml } from '../../kernel/lazy.ts';
import type { ClientConfig, ClientEnvironment, SignIn } from './model.ts';

/** The environment variables that sign in as user admin in project admin. */
export function clientEnvironment(config: ClientConfig): ClientEnvironment {
  const { origin, cacert, regions, signIn } = config;
  const region = {
    OS_REGION_NAME: regions[0] ?? 'RegionOne',
    OS_IDENTITY_API_VERSION: '3',
    ...(cacert === undefined ? {} : { OS_CACERT: cacert }),
  };
  if (signIn.kind === 'none') return { variables: withoutKeystone(origin, signIn, region) };
  if (signIn.kind === 'elsewhere')
    return {
      variables: { OS_AUTH_URL: signIn.keystone, ...region },
      missing: elsewhereText(signIn.keystone),
    };
  const { admin } = signIn.passwords;
  const variables = {
    OS_AUTH_URL: `${origin}/identity/v3`,
    OS_USERNAME: 'admin',
    ...(admin === undefined ? {} : { OS_PASSWORD: admin }),
    OS_PROJECT_NAME: 'admin',
    OS_USER_DOMAIN_NAME: 'Default',
    OS_PROJECT_DOMAIN_NAME: 'Default',
    ...region,
  };
  return admin === undefined
    ? { variables, missing: `${unknownText('admin')} Set OS_PASSWORD to it.` }
    : { variables };
}

/**
 * The variables for a cloud that accepts any token, but issues none. SDKs find each service by its
 * own variable; `openstack` sends everything to one endpoint, which is that of Placement.
 */
const withoutKeystone = (
  origin: string,
  { endpoints }: Extract<SignIn, { kind: 'none' }>,
  region: Readonly<Record<string, string>>,
): Record<string, string> => ({
  OS_AUTH_TYPE: 'admin_token',
  OS_TOKEN: adminToken,
  OS_ENDPOINT: endpoints['placement'] ?? origin,
  ...region,
  ...Object.fromEntries(
    Object.entries(endpoints).map(([type, url]) => [
      `OS_${type.replaceAll('-', '_').toUpperCase()}_ENDPOINT_OVERRIDE`,
      url,
    ]),
  ),
});

/** The token of an administrator with noauth2. */
const adminToken = 'admin';

const unknownText = (user: string): string =>
  `The password of ${user} is not known here: it is neither the default nor that of ` +
  '--admin-password.';

const elsewhereText = (keystone: string): string =>
  `This cloud accepts the tokens of the Keystone at ${keystone}: sign in with an account there.`;

/**
 * A clouds.yaml with three clouds: `cumulet` (admin), `cumulet-demo` (an ordinary user) and
 * `cumulet-system` (an admin with system scope). Without Keystone it has only the first.
 */
export function cloudsYaml(config: ClientConfig): string {
  const { signIn } = config;
  const comments = commentsOn(signIn).map((line) => `# ${line}\n`);
  const clouds = signIn.kind === 'none' ? openClouds(config, signIn) : cloudsOf(config, signIn);
  return `${comments.join('')}${loadYaml().stringify({ clouds }, { aliasDuplicateObjects: false })}`;
}

function commentsOn(signIn: SignIn): string[] {
  if (signIn.kind === 'none') return [];
  if (signIn.kind === 'elsewhere') return [elsewhereText(signIn.keystone)];
  const users = (['admin', 'demo'] as const).filter((user) => signIn.passwords[user] === undefined);
  return users.map((user) => `${unknownText(user)} Add it below as password.`);
}

type KeystoneSignIn = Exclude<SignIn, { kind: 'none' }>;

function cloudsOf({ origin, cacert, regions }: ClientConfig, signIn: KeystoneSignIn): object {
  const account = (user: 'admin' | 'demo'): object => {
    if (signIn.kind === 'elsewhere') return { auth_url: signIn.keystone };
    const password = signIn.passwords[user];
    return {
      auth_url: `${origin}/identity/v3`,
      username: user,
      ...(password === undefined ? {} : { password }),
      user_domain_name: 'Default',
    };
  };
  const inProject = (name: string): object => ({
    project_name: name,
    project_domain_name: 'Default',
  });
  const cloud = (user: 'admin' | 'demo', scope: object): object => ({
    auth: { ...account(user), ...scope },
    region_name: regions[0],
    regions,
    identity_api_version: 3,
    ...(cacert === undefined ? {} : { cacert }),
  });
  return {
    cumulet: cloud('admin', inProject('admin')),
    'cumulet-demo': cloud('demo', inProject('demo')),
    'cumulet-system': cloud('admin', { system_scope: 'all' }),
  };
}

const openClouds = (
  { origin, cacert, regions }: ClientConfig,
  { endpoints }: Extract<SignIn, { kind: 'none' }>,
): object => ({
  cumulet: {
    auth_type: 'admin_token',
    auth: { endpoint: origin, token: adminToken },
    region_name: regions[0],
    ...(cacert === undefined ? {} : { cacert }),
    ...Object.fromEntries(
      Object.entries(endpoints).map(([type, url]) => [
        `${type.replaceAll('-', '_')}_endpoint_override`,
        url,
      ]),
    ),
  },
});
