// Builds configuration for OpenStack clients: OS_* environment variables and clouds.yaml.
import { loadYaml } from '../../kernel/lazy.ts';

export interface ClientConfig {
  /** `http://host:port`. */
  readonly origin: string;
  readonly regions: readonly string[];
  readonly password: string;
}

/** The environment variables that sign in as user admin in project admin. */
export function clientEnvironment({
  origin,
  regions,
  password,
}: ClientConfig): Record<string, string> {
  return {
    OS_AUTH_URL: `${origin}/identity/v3`,
    OS_USERNAME: 'admin',
    OS_PASSWORD: password,
    OS_PROJECT_NAME: 'admin',
    OS_USER_DOMAIN_NAME: 'Default',
    OS_PROJECT_DOMAIN_NAME: 'Default',
    OS_REGION_NAME: regions[0] ?? 'RegionOne',
    OS_IDENTITY_API_VERSION: '3',
  };
}

/**
 * A clouds.yaml with three clouds: `cumulet` (admin), `cumulet-demo` (an ordinary user) and
 * `cumulet-system` (an admin with system scope).
 */
export function cloudsYaml({ origin, regions, password }: ClientConfig): string {
  const auth = (username: string, scope: object): object => ({
    auth_url: `${origin}/identity/v3`,
    username,
    password,
    user_domain_name: 'Default',
    ...scope,
  });
  const inProject = (name: string): object => ({
    project_name: name,
    project_domain_name: 'Default',
  });
  const cloud = (credentials: object): object => ({
    auth: credentials,
    region_name: regions[0],
    regions,
    identity_api_version: 3,
  });
  return loadYaml().stringify(
    {
      clouds: {
        cumulet: cloud(auth('admin', inProject('admin'))),
        'cumulet-demo': cloud(auth('demo', inProject('demo'))),
        'cumulet-system': cloud(auth('admin', { system_scope: 'all' })),
      },
    },
    { aliasDuplicateObjects: false },
  );
}
