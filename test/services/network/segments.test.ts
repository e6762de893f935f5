// Segments, and the provider attributes and MTU of their networks.
import { expect } from 'chai';
import { newUuid } from '../../../src/kernel/ids.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, errorOf, make, member, type Resource } from './support.ts';

onEachDatabase('network: segments', { auth: 'noauth2' }, (world) => {
  const vlan = (network_id: string, physical_network: string, segmentation_id?: number) => ({
    network_id,
    network_type: 'vlan',
    physical_network,
    ...(segmentation_id === undefined ? {} : { segmentation_id }),
  });
  const post = async (fields: object): Promise<string> =>
    errorOf(await ask(world, 'POST', '/segments', { segment: fields }));
  const list = async (query = '', as = {}): Promise<Resource[]> =>
    (await ask(world, 'GET', `/segments${query}`, undefined, as).expect(200)).body.segments;
  const show = async (id: string): Promise<Resource> =>
    (await ask(world, 'GET', `/networks/${id}`).expect(200)).body.network;
  const providerNetwork = (physical: string, id: number) =>
    make(world, 'network', {
      'provider:network_type': 'vlan',
      'provider:physical_network': physical,
      'provider:segmentation_id': id,
    });

  describe('/v2.0/segments', () => {
    it('has the segment of every network', async () => {
      const { id } = await make(world, 'network', { 'provider:network_type': 'geneve' });
      const [segment] = await list(`?network_id=${id}`);
      expect(segment).to.deep.include({
        name: null,
        network_id: id,
        network_type: 'geneve',
        physical_network: null,
        description: '',
      });
      const shown = (await ask(world, 'GET', `/segments/${segment!.id}`).expect(200)).body.segment;
      expect(shown).to.deep.equal(segment);
      const local = await make(world, 'network', { 'provider:network_type': 'local' });
      expect((await list(`?network_id=${local.id}`))[0]).to.deep.include({ network_type: 'local' });
    });

    it('creates, filters, renames and deletes segments', async () => {
      const { id } = await providerNetwork('rack1', 100);
      const sent = { ...vlan(id, 'rack2', 101), name: 'two', description: 'd' };
      const segment = await make(world, 'segment', sent);
      expect(segment).to.deep.include(sent);
      const names = async (query: string) => (await list(query)).map(({ name }) => name as string);
      expect(await names('?physical_network=rack2')).to.deep.equal(['two']);
      expect(await names(`?network_id=${id}&sort_key=segmentation_id&sort_dir=desc`)).to.deep.equal(
        ['two', null],
      );
      const put = { segment: { name: null, description: 'e' } };
      const changed = await ask(world, 'PUT', `/segments/${segment.id}`, put).expect(200);
      expect(changed.body.segment).to.deep.include({ name: null, description: 'e' });
      await ask(world, 'DELETE', `/segments/${segment.id}`).expect(204);
      expect(errorOf(await ask(world, 'GET', `/segments/${segment.id}`))).to.equal(
        `404 SegmentNotFound: Segment ${segment.id} could not be found.`,
      );
    });

    it('chooses a segmentation id that is free on the physical network', async () => {
      const { id } = await providerNetwork('rack1', 100);
      const segment = await make(world, 'segment', vlan(id, 'rack1'));
      expect(segment['segmentation_id']).to.equal(101);
    });

    it('returns 400 for contradicting attributes, 409 for taken ids, 404 for a network', async () => {
      const { id } = await providerNetwork('rack1', 100);
      const other = await make(world, 'network', {});
      expect(await post(vlan(other.id, 'rack1', 100))).to.equal(
        '409 VlanIdInUse: Unable to create the network. The VLAN 100 on physical network rack1 is ' +
          'in use.',
      );
      expect(await post(vlan(id, 'rack1', 5000))).to.contain('400 InvalidInput');
      expect(await post({ network_id: id, network_type: 'token-ring' })).to.equal(
        "400 InvalidInput: Invalid input for operation: network_type value 'token-ring' not " +
          'supported.',
      );
      expect(await post({ ...vlan(id, 'rack1'), network_type: 'gre' })).to.contain(
        'provider:physical_network specified for gre network',
      );
      expect(await post({ ...vlan(id, 'rack1'), segmentation_id: 'x' })).to.contain('400');
      const unknown = newUuid();
      expect(await post(vlan(unknown, 'rack1'))).to.equal(
        `404 NetworkNotFound: Network ${unknown} could not be found.`,
      );
    });

    it('is for administrators', async () => {
      const { id } = await make(world, 'network', {}, member);
      const [segment] = await list(`?network_id=${id}`);
      expect(await list('', member)).to.deep.equal([]);
      const as = async (method: string, path: string, body?: object): Promise<string> =>
        errorOf(await ask(world, method, path, body, member));
      expect(await as('GET', `/segments/${segment!.id}`)).to.contain('404');
      expect(await as('DELETE', `/segments/${segment!.id}`)).to.contain('404');
      expect(await as('POST', '/segments', { segment: vlan(id, 'rack1') })).to.contain('403');
      const { body } = await ask(world, 'GET', `/networks/${id}`, undefined, member);
      expect(body.network).to.not.have.any.keys('segments', 'provider:network_type');
      expect(body.network['l2_adjacency']).to.equal(true);
    });

    it('refuses to delete a segment with subnets', async () => {
      const { id } = await providerNetwork('rack1', 100);
      const [segment] = await list(`?network_id=${id}`);
      const fields = { network_id: id, cidr: '10.1.0.0/24', ip_version: 4 };
      const subnet = await make(world, 'subnet', { ...fields, segment_id: segment!.id });
      expect(errorOf(await ask(world, 'DELETE', `/segments/${segment!.id}`))).to.equal(
        `409 SegmentInUse: Segment '${segment!.id}' cannot be deleted: The segment is still ` +
          `associated with subnet(s) ${subnet.id}.`,
      );
      await ask(world, 'DELETE', `/networks/${id}`).expect(204);
      expect(await list(`?network_id=${id}`)).to.deep.equal([]);
    });
  });

  describe('networks', () => {
    const provider = (type: string | null, physical: string | null, id: number | null) => ({
      'provider:network_type': type,
      'provider:physical_network': physical,
      'provider:segmentation_id': id,
    });

    it('have the provider attributes of their only segment, or a list of several', async () => {
      const { id } = await providerNetwork('rack1', 100);
      expect(await show(id)).to.deep.include(provider('vlan', 'rack1', 100));
      const second = await make(world, 'segment', vlan(id, 'rack2', 200));
      const shown = await show(id);
      expect(shown).to.not.have.property('provider:network_type');
      expect(shown).to.deep.include({
        segments: [provider('vlan', 'rack1', 100), provider('vlan', 'rack2', 200)],
      });
      const [first] = await list(`?network_id=${id}&physical_network=rack1`);
      await ask(world, 'DELETE', `/segments/${first!.id}`).expect(204);
      const left = await show(id);
      expect(left).to.deep.include(provider('vlan', 'rack2', 200));
      expect(left).to.not.have.property('segments');
      await ask(world, 'DELETE', `/segments/${second.id}`).expect(204);
      expect(await show(id)).to.deep.include(provider(null, null, null));
    });

    it('are found by the provider attributes of each of their segments', async () => {
      const { id } = await providerNetwork('rack1', 100);
      await make(world, 'segment', vlan(id, 'rack2', 200));
      const found = async (query: string): Promise<string[]> =>
        (await ask(world, 'GET', `/networks?${query}`).expect(200)).body.networks.map(
          (network: Resource) => network.id,
        );
      expect(await found('provider:physical_network=rack2')).to.deep.equal([id]);
      expect(await found('provider:segmentation_id=100')).to.deep.equal([id]);
      expect(await found('provider:segmentation_id=300')).to.deep.equal([]);
    });

    it('can be created with several segments', async () => {
      const segments = [provider('vlan', 'rack1', 100), provider('vlan', 'rack2', null)];
      const network = await make(world, 'network', { segments });
      expect(network['segments']).to.deep.equal([
        provider('vlan', 'rack1', 100),
        provider('vlan', 'rack2', 1),
      ]);
      const refused = async (fields: object): Promise<string> =>
        errorOf(await ask(world, 'POST', '/networks', { network: fields }));
      expect(await refused({ segments: [segments[0], segments[0]] })).to.equal(
        '400 SegmentsContainDuplicateEntry: Duplicate segment entry in request.',
      );
      expect(await refused({ segments, 'provider:network_type': 'gre' })).to.equal(
        '400 SegmentsSetInConjunctionWithProviders: Segments and provider values cannot both be ' +
          'set.',
      );
      expect(await refused({ segments: [{ ...segments[0], id: 'x' }] })).to.equal(
        "400 HTTPBadRequest: Unrecognized attribute(s) 'id'",
      );
      const sent = { network: { segments } };
      const denied = await ask(world, 'POST', '/networks', sent, member);
      expect(denied.status).to.equal(403);
    });

    it('do not accept segments that are too small for their MTU', async () => {
      const { id } = await providerNetwork('rack1', 100);
      expect(await post({ network_id: id, network_type: 'geneve' })).to.equal(
        '400 InvalidInput: Invalid input for operation: Requested MTU is too big, maximum is 1442.',
      );
      await ask(world, 'PUT', `/networks/${id}`, { network: { mtu: 1400 } }).expect(200);
      await make(world, 'segment', { network_id: id, network_type: 'geneve' });
    });
  });
});
