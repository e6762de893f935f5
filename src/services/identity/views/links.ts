// Links, and the envelope of a list.
import type { Call } from '../../../kernel/model.ts';

/** A resource in the format of the API. */
export type View = { readonly id: string } & Readonly<Record<string, unknown>>;

/** The URL of a path below v3, at the address that the client used. */
export const linkTo = (call: Call, path: string): string =>
  `${call.origin}${call.prefix}/v3/${path}`;

/** The URL of the request, with its query. */
export const linkToSelf = (call: Call): string =>
  `${call.origin}${call.prefix}${call.path}${call.query.text ? `?${call.query.text}` : ''}`;

/** A list with its links, without filters and pages. */
export function wrapped(
  call: Call,
  collection: string,
  views: readonly unknown[],
): Record<string, unknown> {
  return { [collection]: views, links: { next: null, self: linkToSelf(call), previous: null } };
}
