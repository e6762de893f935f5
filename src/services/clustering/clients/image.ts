// The client of Image.
import { ApiError } from '../../../kernel/errors.ts';
import { callService } from '../../../kernel/http/call-service.ts';
import type { Context } from '../../../kernel/model.ts';
import { image } from '../../image/index.ts';

export interface Image {
  readonly id: string;
  readonly name: string | null;
}

/** Finds an image by name or id. */
export async function findImage(context: Context, identity: string): Promise<Image | undefined> {
  const { images } = await get<{ readonly images: readonly Image[] }>(context, '/v2/images', [
    ['name', identity],
  ]);
  if (images.length) return images[0];
  try {
    return await get<Image>(context, `/v2/images/${encodeURIComponent(identity)}`);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

async function get<Body>(
  context: Context,
  path: string,
  query: readonly (readonly [string, string])[] = [],
): Promise<Body> {
  const reply = await callService(context, image, { method: 'GET', path, query });
  return (typeof reply.body === 'string' ? JSON.parse(reply.body) : reply.body) as Body;
}
