// What Clustering asks of Image, as its client.
import { callService } from '../../../kernel/http/call-service.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import { image } from '../../image/index.ts';

export interface ImageRecord {
  readonly id: string;
  readonly name: string | null;
}

/** An image by id or name. */
export async function findImage(
  context: Context,
  identity: string,
): Promise<ImageRecord | undefined> {
  const { images } = await ask(context, '/v2/images', [['name', identity]]);
  if (images?.length) return images[0];
  try {
    return (await ask(
      context,
      `/v2/images/${encodeURIComponent(identity)}`,
    )) as unknown as ImageRecord;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

async function ask(
  context: Context,
  path: string,
  query: readonly (readonly [string, string])[] = [],
): Promise<{ images?: ImageRecord[] }> {
  const reply = await callService(context, image, { method: 'GET', path, query });
  return (typeof reply.body === 'string' ? JSON.parse(reply.body) : reply.body) as {
    images?: ImageRecord[];
  };
}
