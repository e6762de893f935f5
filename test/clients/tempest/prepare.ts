// What tempest must know of a cloud; and what it wants there: a second image, a way out of the
// shared network, a volume type.
import { createImage, networkNamed, signIn, type Named } from '../suites/administrator.ts';

/** The names that stand in `tempest.yaml`, for the cloud at that address. */
export async function prepare(origin: string): Promise<Record<string, string>> {
  const ask = await signIn(origin);
  const outside = (await networkNamed(ask, 'public'))!;
  const [image] = (await ask<{ images: Named[] }>('GET', '/image/v2/images')).images;
  // Tests of multiattach with SCSI disks look for this property, which stands in images of real
  // clouds that have such disks.
  await ask('PATCH', `/image/v2/images/${image!.id}`, [
    { op: 'add', path: '/hw_scsi_model', value: 'virtio-scsi' },
  ]);
  const other = await createImage(ask, 'other');
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

/**
 * Makes what the plugin's specs name beside the network of a new cloud: two images, a second
 * flavor; and room for clusters of twenty.
 */
export async function prepareClustering(origin: string): Promise<Record<string, string>> {
  const ask = await signIn(origin);
  for (const name of ['cirros-0.4.0-x86_64-disk', 'new_image']) await createImage(ask, name);
  const flavor = { name: 'new_flavor', ram: 256, vcpus: 1, disk: 1 };
  await ask('POST', '/compute/v2.1/flavors', { flavor });
  const quota_class_set = { instances: 100, cores: 100, ram: 102_400 };
  await ask('PUT', '/compute/v2.1/os-quota-class-sets/default', { quota_class_set });
  return { origin };
}
