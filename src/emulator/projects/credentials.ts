// What a client needs to sign in as the user of a throw-away project.
import { loadYaml } from '../../kernel/lazy.ts';

/** The user of a project, whose project and domain have the same name. */
interface Account {
  readonly name: string;
  readonly password: string;
}

/** How a client reaches the cloud. */
export interface CloudAddress {
  readonly origin: string;
  readonly regions: readonly string[];
}

/** The OS_* variables of the user. */
export const environmentOf = (
  { origin, regions }: CloudAddress,
  { name, password }: Account,
): Record<string, string> => ({
  OS_AUTH_URL: `${origin}/identity/v3`,
  OS_USERNAME: name,
  OS_PASSWORD: password,
  OS_PROJECT_NAME: name,
  OS_USER_DOMAIN_NAME: name,
  OS_PROJECT_DOMAIN_NAME: name,
  OS_REGION_NAME: regions[0] ?? 'RegionOne',
  OS_IDENTITY_API_VERSION: '3',
});

/** A clouds.yaml with the cloud `cumulet`. */
export const cloudsYamlOf = (
  { origin, regions }: CloudAddress,
  { name, password }: Account,
): string =>
  loadYaml().stringify(
    {
      clouds: {
        cumulet: {
          auth: {
            auth_url: `${origin}/identity/v3`,
            username: name,
            password,
            user_domain_name: name,
            project_name: name,
            project_domain_name: name,
          },
          region_name: regions[0],
          regions,
          identity_api_version: 3,
        },
      },
    },
    { aliasDuplicateObjects: false },
  );
