// The data of an image: its digests, and ranges of its bytes.
import { createHash } from 'node:crypto';
import { ApiError } from '../../../kernel/errors.ts';
import type { Image } from '../model.ts';

/** The checksum and the secure hash, by upstream's default algorithms. */
export function digestsOf(data: Buffer): Pick<Image, 'checksum' | 'hashAlgo' | 'hashValue'> {
  return {
    checksum: createHash('md5').update(data).digest('hex'),
    hashAlgo: 'sha512',
    hashValue: createHash('sha512').update(data).digest('hex'),
  };
}

/** The bytes from `start` up to, and without, `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * The range that a Range header asks for; undefined for the whole data, and for a header in another
 * form.
 * @throws 416
 */
export function rangeOf(header: string | undefined, size: number): Range | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '');
  if (!match || (!match[1] && !match[2])) return undefined;
  const [, from = '', to = ''] = match;
  const start = from ? Number(from) : Math.max(0, size - Number(to));
  const end = from && to ? Math.min(size, Number(to) + 1) : size;
  if (start < end) return { start, end };
  throw new ApiError(416, 'The Range requested is not available.', {
    headers: { 'content-range': `bytes */${size}` },
  });
}
