// Views of images in the proxies. Upstream: api/openstack/compute/views/images.py.
import { serviceUrl } from '../../../../kernel/http/native-ports.ts';
import { isTrue } from '../../../../kernel/oslo/booleans.ts';
import type { ComputeCall } from '../../call.ts';
import type { GlanceImage } from '../../clients/image.ts';
import { propertiesOf } from '../../domain/images.ts';
import { linksTo } from '../links.ts';

const statuses: Readonly<Record<string, string>> = {
  active: 'ACTIVE',
  queued: 'SAVING',
  saving: 'SAVING',
  deleted: 'DELETED',
  pending_delete: 'DELETED',
  killed: 'ERROR',
};

const progress: Readonly<Record<string, number>> = { queued: 25, saving: 50, active: 100 };

/** Two links to the image in Compute, and one to the Image service. */
const linksOf = (call: ComputeCall, id: string): readonly object[] => [
  ...linksTo(call, `images/${id}`),
  {
    rel: 'alternate',
    type: 'application/vnd.openstack.image',
    href: `${serviceUrl(call, '/image')}/images/${id}`,
  },
];

/** An image in a list without details. */
export const imageItem = (call: ComputeCall, { id, name }: GlanceImage): object => ({
  id,
  name,
  links: linksOf(call, id),
});

/** An image with details. */
export function imageView(call: ComputeCall, image: GlanceImage): object {
  const metadata = propertiesOf(image);
  const { instance_uuid: server, auto_disk_config: diskConfig } = metadata as Partial<
    Record<string, string>
  >;
  return {
    id: image.id,
    name: image.name,
    minRam: image.min_ram,
    minDisk: image.min_disk,
    metadata,
    created: image.created_at,
    updated: image.updated_at,
    status: statuses[image.status] ?? 'UNKNOWN',
    progress: progress[image.status] ?? 0,
    'OS-EXT-IMG-SIZE:size': image.size ?? 0,
    links: linksOf(call, image.id),
    ...(server === undefined
      ? {}
      : { server: { id: server, links: linksTo(call, `servers/${server}`) } }),
    ...(diskConfig === undefined
      ? {}
      : { 'OS-DCF:diskConfig': isTrue(diskConfig) ? 'AUTO' : 'MANUAL' }),
  };
}
