// Prepares a cloud for tempest: a second image, a router from the shared network to the public one,
// and a volume type.
import { createImage, networkNamed, signIn, type Named } from '../suites/administrator.ts';

/**
 * Prepares the cloud at this address.
 * @param prefix the path of the region, empty for the first one
 * @returns the names that `tempest.yaml` refers to
 */
export async function prepare(origin: string, prefix = ''): Promise<Record<string, string>> {
  const ask = await signIn(origin, prefix);
  const outside = (await networkNamed(ask, 'public'))!;
  const [image] = (await ask<{ images: Named[] }>('GET', '/image/v2/images')).images;
  // Tests of multiattach with SCSI disks need this property, which images of real clouds with such
  // disks have.
  await ask('PATCH', `/image/v2/images/${image!.id}`, [
    { op: 'add', path: '/hw_scsi_model', value: 'virtio-scsi' },
  ]);
  const other = await createImage(ask, 'other');
  await ask('PUT', '/_emulator/image/settings', {
    stores: ['local', 'second'],
    http_store: true,
    allowed_hosts: [new URL(origin).hostname, 'localhost', 'does-not.exist'],
    allowed_ports: [],
  });
  const type = { name: 'multiattach', extra_specs: { multiattach: '<is> True' } };
  await ask('POST', '/volume/v3/types', { volume_type: type });
  const { extensions } = await ask<{ extensions: { alias: string }[] }>(
    'GET',
    '/network/v2.0/extensions',
  );
  return {
    origin,
    image: image!.id,
    otherImage: other.id,
    publicNetwork: outside.id,
    networkExtensions: extensions.map(({ alias }) => alias).join(','),
  };
}

/** Prepares the cloud for the plugin that tests Network, with default subnet pools. */
export async function prepareNetwork(origin: string): Promise<Record<string, string>> {
  const ask = await signIn(origin);
  for (const fields of [
    { name: 'default', prefixes: ['10.240.0.0/16'], default_prefixlen: 26 },
    { name: 'default-v6', prefixes: ['fd00:240::/48'], default_prefixlen: 64 },
  ]) {
    const subnetpool = { ...fields, is_default: true, shared: true };
    await ask('POST', '/network/v2.0/subnetpools', { subnetpool });
  }
  return prepare(origin);
}

/**
 * Creates the two images and the flavor that the plugin's specs name, raises the quotas for
 * clusters of twenty nodes, and allows health checks every ten seconds, as Senlin's own CI does.
 */
export async function prepareClustering(origin: string): Promise<Record<string, string>> {
  const ask = await signIn(origin);
  for (const name of ['cirros-0.4.0-x86_64-disk', 'new_image']) await createImage(ask, name);
  const flavor = { name: 'new_flavor', ram: 256, vcpus: 1, disk: 1 };
  await ask('POST', '/compute/v2.1/flavors', { flavor });
  const quota_class_set = { instances: 100, cores: 100, ram: 102_400 };
  await ask('PUT', '/compute/v2.1/os-quota-class-sets/default', { quota_class_set });
  await ask('PUT', '/_emulator/clustering/settings', { health_check_interval_min: 10 });
  return { origin };
}
