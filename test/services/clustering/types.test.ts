// Tests of the types of policies: schemas and lists.
import { expect } from 'chai';
import { onClustering } from './support.ts';

onClustering('types of policies', {}, (clustering) => {
  it('show their schemas', async () => {
    const path = '/policy-types/senlin.policy.zone_placement-1.0';
    const { policy_type: type } = (await clustering.request('GET', path).expect(200)).body as {
      policy_type: { schema: { zones: object } };
    };
    const field = { required: false, updatable: false };
    expect(type.schema.zones).to.deep.equal({
      type: 'List',
      description: 'List of availability zones to choose from.',
      ...field,
      schema: {
        '*': {
          type: 'Map',
          description: 'An availability zone as candidate.',
          ...field,
          schema: {
            name: { type: 'String', description: 'Name of an availability zone.', ...field },
            weight: {
              type: 'Integer',
              description: 'Weight of the availability zone (default is 100).',
              default: 100,
              ...field,
            },
          },
        },
      },
    });
  });

  it('are listed with their support status from 1.5 on', async () => {
    const { body } = await clustering.request('GET', '/policy-types', { version: '1.5' });
    const types = body.policy_types as object[];
    expect(types).to.have.length(14);
    expect(types[0]).to.deep.equal({
      name: 'senlin.policy.affinity',
      version: '1.0',
      support_status: { '1.0': [{ status: 'SUPPORTED', since: '2016.10' }] },
    });
  });

  it('are listed without their support status before 1.5', async () => {
    const { body } = await clustering.request('GET', '/policy-types', { version: '1.4' });
    const types = body.policy_types as { name: string }[];
    expect(types).to.have.length(14);
    expect(types[0]).to.deep.equal({ name: 'senlin.policy.affinity-1.0' });
  });
});
