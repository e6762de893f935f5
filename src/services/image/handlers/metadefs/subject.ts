// Finds the namespace that a path names.
import { notFound } from '../../../../kernel/errors.ts';
import type { ImageCall } from '../../call.ts';
import { findNamespace, lockNamespace, seesNamespace } from '../../domain/metadefs/namespaces.ts';
import type { Namespace } from '../../model.ts';
import { authorizeNamespace } from '../../policy.ts';

/** The messages of upstream's refusals, which depend on the operation. */
export interface Refusals {
  readonly unknown: (name: string) => string;
  readonly hidden: (name: string) => string;
}

const notFoundNamespace = (name: string): string => `Namespace ${name} not found`;

/** The refusals of most operations. */
export const plainRefusals: Refusals = { unknown: notFoundNamespace, hidden: notFoundNamespace };

/** The message for an unknown namespace in the operations that upstream words in its database. */
export const unknownNamespace = (name: string): string =>
  `Metadata definition namespace=${name} was not found.`;

/** The refusals of operations on objects. */
export const objectRefusals: Refusals = { unknown: unknownNamespace, hidden: notFoundNamespace };

/**
 * The namespace of a path.
 * @throws 403 if no rule allows the operation, 404 for a namespace that the caller does not see
 */
export async function namespaceFor(
  call: ImageCall,
  rule: string,
  { unknown, hidden }: Refusals = plainRefusals,
): Promise<Namespace> {
  const name = call.params['namespace']!;
  const namespace = await findNamespace(call, name);
  if (!namespace) throw notFound(unknown(name));
  if (!seesNamespace(call.actor, namespace)) throw notFound(hidden(name));
  authorizeNamespace(call, rule, namespace);
  return namespace;
}

/** The same, locked, for an operation that changes what the namespace contains. */
export const lockedNamespaceFor = async (
  call: ImageCall,
  rule: string,
  refusals?: Refusals,
): Promise<Namespace> => lockNamespace(call, await namespaceFor(call, rule, refusals));
