// The header that chooses the store of an upload or an import.
import type { ImageCall } from '../call.ts';

/** The store that the request names; undefined if it names none. */
export const storeHeader = ({ headers }: ImageCall): string | undefined =>
  headers['x-image-meta-store'] === undefined ? undefined : String(headers['x-image-meta-store']);
