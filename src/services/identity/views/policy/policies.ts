// A policy in the format of the API.
import type { PolicyDocument } from '../../model.ts';
import { linkTo, type View } from '../links.ts';
import type { Call } from '../../../../kernel/model.ts';

/** A policy. `collection` is the collection in upstream's link. */
export const policyView = (
  call: Call,
  { id, type, blob, extra }: PolicyDocument,
  collection = 'policies',
): View => ({
  ...extra,
  id,
  type,
  blob,
  links: { self: linkTo(call, `${collection}/${id}`) },
});
