// Tests of profiles: stacks and containers, which have no service, and the deletion of profiles.
import { expect } from 'chai';
import { heatSpec, messageOf, onClustering } from './support.ts';

onClustering('profiles', { nova: 1 }, (clustering) => {
  const post = (name: string, type: string, properties: object) =>
    clustering.request('POST', '/profiles', {
      body: { profile: { name, spec: { type, version: '1.0', properties } } },
    });

  it('of stacks give nodes a stack as soon as they are created', async () => {
    const profile_id = await clustering.createProfile(heatSpec);
    const id = await clustering.createCluster(2, { profile_id });
    const [first] = await clustering.membersOf(id);
    expect(first).to.include({ status: 'ACTIVE' });
    const path = `/nodes/${first!.id}?show_details=true`;
    const { node } = (await clustering.request('GET', path).expect(200)).body as {
      node: { details: object };
    };
    expect(node.details).to.include({ id: first!.physical_id, stack_status: 'CREATE_COMPLETE' });
  });

  describe('POST /profiles', () => {
    it('returns 400 for a stack without a template', async () => {
      const reply = await post('s', 'os.heat.stack', {}).expect(400);
      expect(messageOf(reply)).to.equal(
        "Both template and template_url are not specified for profile 's'.",
      );
    });

    it('creates a profile of containers that run on a cluster', async () => {
      const profile_id = await clustering.createProfile(heatSpec);
      const host_cluster = await clustering.createCluster(2, { profile_id });
      const properties = { image: 'nginx', host_cluster };
      const reply = await post('d', 'container.dockerinc.docker', properties).expect(201);
      expect(reply.body.profile).to.include({ type: 'container.dockerinc.docker-1.0' });
    });
  });

  describe('DELETE /profiles/{profile_id}', () => {
    it('returns 409 for the profile of a cluster', async () => {
      await clustering.createCluster(0);
      const { profile } = clustering;
      const reply = await clustering.request('DELETE', `/profiles/${profile}`).expect(409);
      expect(messageOf(reply)).to.equal(
        `The profile '${profile}' cannot be deleted: still referenced by some clusters and/or ` +
          'nodes.',
      );
    });
  });
});
