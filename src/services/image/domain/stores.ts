// The stores that keep the data of images. The data itself is in the database once, whichever
// stores have it. Upstream: glance/common/utils.py and glance/api/v2/discovery.py.
import type { Db } from '../../../kernel/db/database.ts';
import { ApiError, badRequest, conflict, forbidden, notFound } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import type { Image, Location } from '../model.ts';
import { updateImage } from '../store/images.ts';
import { loadSettings } from './settings.ts';

/** The name of the store of web servers, as in DevStack. It is read-only. */
export const httpStore = 'web';

/** The names of the stores. The first one is the default. */
export async function storeNames(context: { readonly db: Db }): Promise<readonly string[]> {
  const { stores, httpStore: hasHttpStore } = await loadSettings(context);
  return hasHttpStore ? [...stores, httpStore] : stores;
}

/** Where the store keeps the data of an image, as a URL. */
export const urlOf = ({ store, url }: Location, { id }: Pick<Image, 'id'>): string =>
  url ?? `file:///var/lib/glance/${store}/${id}`;

/** The directory of a store. */
export const directoryOf = (store: string): string => `/var/lib/glance/${store}`;

/** The message for a store that does not exist. */
export const noStore = (name: string): string => `Store for identifier ${name} not found`;

/**
 * The locations of new data.
 * @param store the store that the request names; the default store if it names none
 * @throws 400 for an unknown store, 410 for the read-only one
 */
export async function newLocations(context: Context, store?: string): Promise<readonly Location[]> {
  const names = await storeNames(context);
  const name = store ?? names[0]!;
  if (!names.includes(name)) throw badRequest(noStore(name));
  if (name === httpStore)
    throw new ApiError(410, 'Error in store configuration. Adding images to store is disabled.');
  return [{ store: name }];
}

/** The stores that an import request names. */
export interface StoreRequest {
  readonly stores?: readonly string[] | undefined;
  /** The header `X-Image-Meta-Store`. */
  readonly header?: string | undefined;
  readonly allStores: boolean;
}

/**
 * The stores that an import is for. All stores are those that can be written.
 * @throws 400, 409 for an unknown store
 */
export async function requestedStores(
  context: Context,
  { stores, header, allStores }: StoreRequest,
): Promise<readonly string[]> {
  const names = await storeNames(context);
  if (allStores) {
    if (stores || header !== undefined)
      throw badRequest(
        "All_stores parameter can't be used with x-image-meta-store header or stores parameter",
      );
    return names.filter((name) => name !== httpStore);
  }
  if (stores && header !== undefined)
    throw badRequest("Stores parameter and x-image-meta-store header can't be both specified");
  const requested = stores ?? [header ?? names[0]!];
  const unknown = requested.find((name) => !names.includes(name));
  if (unknown !== undefined) throw conflict(noStore(unknown));
  return requested;
}

/** Removes the data of an image from one of several stores. @throws 403, 404, 409 */
export async function removeFromStore(
  { db, now }: Context,
  image: Image,
  store: string,
): Promise<void> {
  if (image.status !== 'active')
    throw conflict(
      "It's not allowed to remove image data from store if image status is not 'active'",
    );
  if (image.locations.length === 1)
    throw forbidden(
      'Cannot delete image data from the only store containing it. Consider deleting the image ' +
        'instead.',
    );
  const locations = image.locations.filter((location) => location.store !== store);
  if (locations.length === image.locations.length)
    throw notFound(`Image ${image.id} is not stored in store ${store}.`);
  await updateImage(db, image, { ...image, locations }, now);
}
