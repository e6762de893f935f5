// Links, and the envelope of a list.
import type { Call } from '../../../kernel/model.ts';

/** A resource as a client sees it. */
export type View = { readonly id: string } & Readonly<Record<string, unknown>>;

/** The URL of a path below v3, at the address that the client came by. */
export const linkTo = (call: Call, path: string): string =>
  `${call.origin}${call.prefix}/v3/${path}`;

/** The URL of the request itself, with its query. */
export const linkToSelf = (call: Call): string =>
  `${call.origin}${call.prefix}${call.path}${call.query.text ? `?${call.query.text}` : ''}`;

/** A list with its links, neither filtered nor paged. */
export function wrapped(
  call: Call,
  collection: string,
  views: readonly unknown[],
): Record<string, unknown> {
  return { [collection]: views, links: { next: null, self: linkToSelf(call), previous: null } };
}
