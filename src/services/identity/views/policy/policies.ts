// A policy as a client sees it.
import type { PolicyDocument } from '../../model.ts';
import { linkTo, type View } from '../links.ts';
import type { Call } from '../../../../kernel/model.ts';

/** A policy; `collection` is the one that upstream's link names. */
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
