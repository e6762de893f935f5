// The environment of a client that signs in as a tenant who knows the central region only.
import { clientEnvironment } from '../../../src/emulator/client-configuration/configuration.ts';
import { defaultPassword } from '../../../src/kernel/settings.ts';

/** Returns the variables OS_* of user and project demo for the cloud at this address. */
export function tenantEnvironment(origin: string): Record<string, string> {
  const passwords = { admin: defaultPassword, demo: defaultPassword };
  const { variables } = clientEnvironment({
    origin,
    regions: ['CentralRegion'],
    signIn: { kind: 'password', passwords },
  });
  return { ...variables, OS_USERNAME: 'demo', OS_PROJECT_NAME: 'demo' };
}
