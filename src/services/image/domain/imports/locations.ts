// The locations of images: where their data is, and how users add data on web servers. Upstream:
// add_location in glance/api/v2/images.py and glance/async_/flows/location_import.py.
import { badRequest, conflict, forbidden } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { Image } from '../../model.ts';
import { loadSettings } from '../settings.ts';
import { checkUnlocked, lockForTask } from './progress.ts';

/** The bytes of the digests that clients may send with a location. */
const digestSizes: Readonly<Record<string, number>> = { md5: 16, sha1: 20, sha256: 32, sha512: 64 };

/** The digest of the data that the client expects. */
export interface ExpectedHash {
  readonly os_hash_algo?: string;
  readonly os_hash_value?: string;
}

/** @throws 409 if the image has data already, or is getting it */
export function checkLocatable({ status }: Image): void {
  if (status !== 'queued')
    throw conflict(`It's not allowed to add locations if image status is ${status}.`);
}

/** @throws 400 */
function checkHash({
  os_hash_algo: algorithm = 'sha512',
  os_hash_value: value,
}: ExpectedHash): void {
  if (value === undefined) return;
  if (!/^([0-9a-fA-F]{2})*$/.test(value))
    throw badRequest(`os_hash_value (${value}) is not a valid hexadecimal value`);
  const size = digestSizes[algorithm]!;
  if (value.length !== 2 * size)
    throw badRequest(
      `os_hash_value: (${value}) is not the correct size for (${algorithm}) (should be ` +
        `(${size}) bytes)`,
    );
}

/**
 * Adds a location to an image without data, which is downloaded from there.
 * @throws 400, 403, 409
 */
export async function addLocation(
  context: Context,
  image: Image,
  request: { readonly url: string; readonly hash: ExpectedHash; readonly requestId: string },
): Promise<void> {
  const { url, hash, requestId } = request;
  const { httpStore: hasHttpStore } = await loadSettings(context);
  const isService = context.actor.roles.includes('service');
  if (!isService && !(hasHttpStore && url.startsWith('http')))
    throw forbidden('http store must be enabled to use location API by normal user.');
  checkHash(hash);
  await checkUnlocked(context, image);
  await lockForTask(context, image, {
    type: 'location_import',
    input: { image_id: image.id, loc_url: url, validation_data: hash },
    requestId,
  });
}
