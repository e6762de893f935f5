// Prepares a cloud for gophercloud's tests, and describes it in environment variables.
import { createImage, networkNamed, signIn, type Named } from '../suites/administrator.ts';

/** Returns the environment for tests as the administrator of the cloud at this address. */
export async function prepare(origin: string): Promise<Record<string, string>> {
  const ask = await signIn(origin);
  const [outside, network] = [
    (await networkNamed(ask, 'public'))!,
    (await networkNamed(ask, 'private'))!,
  ];
  const { subnets } = await ask<{ subnets: Named[] }>(
    'GET',
    `/network/v2.0/subnets?network_id=${network.id}`,
  );
  const image = await createImage(ask, 'gophercloud');
  // The tests name a disk there, but do not wait until it is downloaded.
  await ask('PUT', '/_emulator/image/settings', { allowed_hosts: ['download.cirros-cloud.net'] });
  // Raise the default quotas: tests that fail leave resources behind.
  const quota_class_set = { instances: 100, cores: 200, ram: 200_000 };
  await ask('PUT', '/compute/v2.1/os-quota-class-sets/default', { quota_class_set });
  return {
    OS_AUTH_URL: `${origin}/identity/v3`,
    OS_IDENTITY_API_VERSION: '3',
    OS_USERNAME: 'admin',
    OS_PASSWORD: 'secret',
    OS_PROJECT_NAME: 'admin',
    OS_DOMAIN_NAME: 'Default',
    OS_REGION_NAME: 'RegionOne',
    OS_BRANCH: 'master',
    OS_IMAGE_ID: image.id,
    OS_FLAVOR_ID: '1',
    OS_FLAVOR_ID_RESIZE: '2',
    OS_POOL_NAME: outside.name,
    OS_EXTGW_ID: outside.id,
    OS_NETWORK_NAME: network.name,
    OS_NETWORK_ID: network.id,
    OS_SUBNET_ID: subnets[0]!.id,
    OS_LIVE_MIGRATE: '1',
    OS_PORTFORWARDING_ENVIRONMENT: '1',
  };
}
