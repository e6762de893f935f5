// What Clustering asks of Image, as its client.
import { askWithin } from '../../../kernel/http/inward.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Work } from '../../../kernel/model.ts';
import { image } from '../../image/index.ts';

export interface ImageRecord {
  readonly id: string;
  readonly name: string | null;
}

/** An image by id or name. */
export async function findImage(work: Work, identity: string): Promise<ImageRecord | undefined> {
  const { images } = await ask(work, '/v2/images', [['name', identity]]);
  if (images?.length) return images[0];
  try {
    return (await ask(work, `/v2/images/${encodeURIComponent(identity)}`)) as unknown as ImageRecord;
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

async function ask(
  work: Work,
  path: string,
  query: readonly (readonly [string, string])[] = [],
): Promise<{ images?: ImageRecord[] }> {
  const reply = await askWithin(work, image, { method: 'GET', path, query });
  return (typeof reply.body === 'string' ? JSON.parse(reply.body) : reply.body) as { images?: ImageRecord[] };
}
