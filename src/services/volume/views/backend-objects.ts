// What the backend has, in replies.
import type { ListedObject } from '../domain/backend/objects.ts';

/** The short form. */
export const objectSummary = ({ name, kind, size, source, managedBy }: ListedObject): object => ({
  reference: { 'source-name': name },
  size,
  safe_to_manage: managedBy === null,
  ...(kind === 'snapshot' ? { source_reference: { 'source-name': source } } : {}),
});

export const objectDetail = (object: ListedObject): object => ({
  ...objectSummary(object),
  reason_not_safe: object.managedBy === null ? null : 'already managed',
  cinder_id: object.managedBy,
  extra_info: null,
});
