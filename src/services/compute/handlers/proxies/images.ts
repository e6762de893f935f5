// Images, until 2.35. Compute forwards the requests to the Image service. Upstream:
// api/openstack/compute/images.py.
import { noContent, ok } from '../../../../kernel/http/reply.ts';
import { badRequest, forbidden, notFound } from '../../../../kernel/errors.ts';
import { callImage, imageErrorMessage, type GlanceImage } from '../../clients/image.ts';
import type { ComputeCall } from '../../call.ts';
import { imageItem, imageView } from '../../views/proxies/images.ts';
import { nextPageLinks } from '../../views/links.ts';
import { maxItemsOf } from '../paging.ts';
import type { Reply } from '../../../../kernel/model.ts';

/** The names of the filters in the Image service, by their names in Compute. */
const imageFilters: Readonly<Record<string, string>> = {
  name: 'name',
  status: 'status',
  'changes-since': 'updated_at',
  server: 'instance_uuid',
  type: 'image_type',
  minRam: 'min_ram',
  minDisk: 'min_disk',
};

type Pairs = (readonly [string, string])[];

/** How many images to request from the Image service at a time. */
const glancePage = 1000;

/** GET /images */
export const list = (call: ComputeCall): Promise<Reply> => listReply(call, 'images', imageItem);

/** GET /images/detail */
export const detail = (call: ComputeCall): Promise<Reply> =>
  listReply(call, 'images/detail', imageView);

async function listReply(
  call: ComputeCall,
  path: string,
  view: (call: ComputeCall, image: GlanceImage) => object,
): Promise<Reply> {
  const limit = atLeastOne(call, 'limit');
  atLeastOne(call, 'page_size');
  atLeastOne(call, 'offset');
  const images = await findImages(call, limit ?? Infinity);
  const maxItems = await maxItemsOf(call);
  const pageSize = Math.min(limit ?? maxItems, maxItems);
  const links =
    images.length && images.length === pageSize
      ? nextPageLinks(call, path, images, pageSize, images.at(-1)!.id)
      : [];
  return ok({
    images: images.map((image) => view(call, image)),
    ...(links.length ? { images_links: links } : {}),
  });
}

/** A number in the query. @throws 400 if it is less than 1 */
function atLeastOne({ query }: ComputeCall, name: string): number | undefined {
  for (const text of query.all(name)) {
    if (Number(text) < 1)
      throw badRequest(
        `Invalid input for query parameters ${name}. Value: ${text}. ${Number(text)} is less ` +
          'than the minimum of 1',
      );
  }
  const last = query.last(name);
  return last === undefined ? undefined : Number(last);
}

/** Fetches the matching images, page by page. @throws 400 */
async function findImages(call: ComputeCall, limit: number): Promise<GlanceImage[]> {
  const images: GlanceImage[] = [];
  const filters = filtersOf(call);
  let marker = call.query.last('marker') ?? '';
  for (;;) {
    const size = Math.min(limit - images.length, glancePage);
    const query: Pairs = [
      ...filters,
      ['limit', String(size)],
      ...(marker ? [['marker', marker] as const] : []),
    ];
    const page = await callImage<{ images: GlanceImage[]; next?: string }>(
      call,
      { method: 'GET', path: '/v2/images', query },
      { 400: (error) => badRequest(imageErrorMessage(error)) },
    );
    images.push(...page.images);
    if (page.next === undefined || images.length >= limit) return images;
    marker = page.images.at(-1)!.id;
  }
}

/** The filters of the query, for the Image service. */
function filtersOf({ query }: ComputeCall): Pairs {
  return query
    .names()
    .filter((name) => Object.hasOwn(imageFilters, name) || name.startsWith('property-'))
    .map((name) => {
      // Upstream strips all letters of the prefix, so some properties lose their first letters too.
      const filter = imageFilters[name] ?? name.replace(/^[property-]+/, '');
      return [filter, valueOf(name, query.last(name)!)] as const;
    });
}

function valueOf(name: string, text: string): string {
  if (name === 'server' || name === 'property-instance_uuid') return text.split('/').at(-1)!;
  if (name === 'changes-since') return `gte:${text}`;
  return name === 'status' ? text.toLowerCase() : text;
}

const imageErrors = { 404: () => notFound('Image not found.') };

const pathOf = (call: ComputeCall): string =>
  `/v2/images/${encodeURIComponent(call.params['id']!)}`;

/** GET /images/{id} */
export async function show(call: ComputeCall): Promise<Reply> {
  return ok({
    image: imageView(
      call,
      await callImage<GlanceImage>(call, { method: 'GET', path: pathOf(call) }, imageErrors),
    ),
  });
}

/** DELETE /images/{id} */
export async function remove(call: ComputeCall): Promise<Reply> {
  const deleteErrors = {
    ...imageErrors,
    403: () => forbidden('You are not allowed to delete the image.'),
  };
  await callImage(call, { method: 'DELETE', path: pathOf(call) }, deleteErrors);
  return noContent();
}
