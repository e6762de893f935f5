// The data of an image: digests and byte ranges.
import { createHash } from 'node:crypto';
import { ApiError } from '../../../kernel/errors.ts';
import type { Image } from '../model.ts';

/** Computes the checksum and the secure hash with upstream's default algorithms. */
export function digestsOf(data: Buffer): Pick<Image, 'checksum' | 'hashAlgo' | 'hashValue'> {
  return {
    checksum: createHash('md5').update(data).digest('hex'),
    hashAlgo: 'sha512',
    hashValue: createHash('sha512').update(data).digest('hex'),
  };
}

/** The bytes from `start` up to `end`, which is excluded. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Parses a Range header. @returns undefined for the whole data, also if the header has another form
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
