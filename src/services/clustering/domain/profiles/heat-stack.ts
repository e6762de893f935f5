// The profile os.heat.stack. Stacks exist only as records: there is no Orchestration service.
import { newUuid } from '../../../../kernel/ids.ts';
import { boolean, integer, map, text, type Schema } from '../specs/schema.ts';
import type { Json } from '../../model.ts';
import { invalidSpec } from '../refusals.ts';
import { simulatedDriver } from './simulated.ts';
import type { Physical, ProfileType } from './types.ts';

const schema: Schema = {
  context: map(
    'A dictionary for specifying the customized context for stack operations',
    undefined,
    { initial: {} },
  ),
  template: map('Heat stack template.', undefined, { initial: {}, updatable: true }),
  template_url: text('Heat stack template url.', { initial: '', updatable: true }),
  parameters: map('Parameters to be passed to Heat for stack operations.', undefined, {
    initial: {},
    updatable: true,
  }),
  files: map('Contents of files referenced by the template, if any.', undefined, {
    initial: {},
    updatable: true,
  }),
  timeout: integer(
    'A integer that specifies the number of minutes that a stack operation times out.',
    { updatable: true },
  ),
  disable_rollback: boolean('A boolean specifying whether a stack operation can be rolled back.', {
    initial: true,
    updatable: true,
  }),
  environment: map('A map that specifies the environment used for stack operations.', undefined, {
    initial: {},
    updatable: true,
  }),
};

/** A stack as Heat would show it. */
function stackOf({ node, properties }: Physical): Json {
  return {
    id: node.physicalId,
    stack_name: `${node.name}-${node.id.slice(0, 8)}`,
    stack_status: 'CREATE_COMPLETE',
    stack_status_reason: 'Stack CREATE completed successfully',
    parameters: properties['parameters'],
    disable_rollback: properties['disable_rollback'],
    timeout_mins: properties['timeout'],
    tags: clusterTag(node.clusterId, node.index),
    outputs: [],
  };
}

const clusterTag = (clusterId: string, index: number): string[] =>
  clusterId ? [`cluster_id=${clusterId}`, `cluster_node_index=${index}`] : [];

export const heatStack: ProfileType = {
  name: 'os.heat.stack',
  version: '1.0',
  support: { '1.0': [{ status: 'SUPPORTED', since: '2016.04' }] },
  schema,
  operations: { abandon: { description: 'Abandon a heat stack node.' } },
  validate: (_context, name, { template, template_url: url }) => {
    const isEmpty = !Object.keys((template ?? {}) as Json).length;
    if (isEmpty && !url)
      throw invalidSpec(`Both template and template_url are not specified for profile '${name}'.`);
    return Promise.resolve();
  },
  driver: simulatedDriver(newUuid, stackOf),
};
