// The replies that handlers make.
import type { Reply } from '../model.ts';

export const ok = (body: unknown, headers?: Reply['headers']): Reply => reply(200, body, headers);
export const created = (body?: unknown, headers?: Reply['headers']): Reply => reply(201, body, headers);
export const accepted = (body?: unknown, headers?: Reply['headers']): Reply => reply(202, body, headers);
export const noContent = (headers?: Reply['headers']): Reply => reply(204, undefined, headers);

export function reply(status: number, body?: unknown, headers?: Reply['headers']): Reply {
  return { status, ...(body === undefined ? {} : { body }), ...(headers ? { headers } : {}) };
}
