// Builds the records of new nodes.
import { newHexId, newUuid } from '../../../../kernel/ids.ts';
import type { Cluster, Delegator, Node } from '../../model.ts';

/**
 * The name of a cluster's new node. In the cluster's format, `$nI` is the index, padded to n
 * digits; `$nR` and `$nr` are n random letters.
 */
export function nodeNameFor({ config }: Cluster, index: number): string {
  const format = config['node.name.format'];
  if (typeof format !== 'string' || !format) return randomName();
  const numbered = format
    .slice(0, 200)
    .replaceAll(/\$(\d{0,2})I/g, (_, width: string) => String(index).padStart(Number(width), '0'));
  const letters = (isUpper: boolean) => (_: string, width: string) => {
    const random = newHexId()
      .replaceAll(/\d/g, (digit) => 'ghijklmnop'[Number(digit)]!)
      .slice(0, Number(width || 8));
    return isUpper ? random.toUpperCase() : random;
  };
  return numbered
    .replaceAll(/\$(\d{0,2})R/g, letters(true))
    .replaceAll(/\$(\d{0,2})r/g, letters(false));
}

/** The name of a node for which neither the client nor its cluster gives one. */
export const randomName = (): string => `node-${newHexId().slice(0, 8)}`;

/** A node without a physical resource. */
export function newNode(
  now: number,
  { userId, projectId, domainId, credentialId }: Delegator,
  fields: Partial<Node> & Pick<Node, 'name' | 'profileId'>,
): Node {
  return {
    id: newUuid(),
    clusterId: '',
    physicalId: null,
    index: -1,
    role: '',
    initAt: now,
    createdAt: null,
    updatedAt: null,
    tainted: false,
    status: 'INIT',
    statusReason: 'Initializing',
    metadata: {},
    data: {},
    dependents: {},
    revision: 0,
    userId,
    projectId,
    domainId,
    credentialId,
    ...fields,
  };
}
