// Trunks, their subports, and how both follow the binding of the parent port.
import { expect } from 'chai';
import { newUuid } from '../../../src/kernel/ids.ts';
import { onEachDatabase, type Asked } from '../../support/cloud.ts';
import { ask, errorOf, make, member, otherMember, reader, type Resource } from './support.ts';

interface Replied {
  readonly status: number;
  readonly body: unknown;
}

onEachDatabase('network: trunks', { auth: 'noauth2' }, (world) => {
  const makePort = async (fields: object = {}, as: Asked = member): Promise<Resource> =>
    make(
      world,
      'port',
      { network_id: (await make(world, 'network', { name: 'n' }, as)).id, ...fields },
      as,
    );
  const vlan = ({ id }: Resource, segmentation_id: unknown = 100) => ({
    port_id: id,
    segmentation_type: 'vlan',
    segmentation_id,
  });
  const makeTrunk = async (fields: object = {}): Promise<Resource> =>
    make(world, 'trunk', { port_id: (await makePort()).id, ...fields }, member);
  const post = async (fields: object, as: Asked = member): Promise<string> =>
    errorOf(await ask(world, 'POST', '/trunks', { trunk: fields }, as));
  const change = (trunk: Resource, action: string, sub_ports: unknown, as: Asked = member) =>
    ask(world, 'PUT', `/trunks/${trunk.id}/${action}_subports`, { sub_ports }, as);
  const remove = async (path: string): Promise<string> =>
    errorOf(await ask(world, 'DELETE', path, undefined, member));
  const show = async (kind: 'trunk' | 'port', id: string): Promise<Resource> => {
    const { body } = await ask(world, 'GET', `/${kind}s/${id}`).expect(200);
    return (body as Record<string, Resource>)[kind]!;
  };
  const bind = async (portId: string, host: string): Promise<void> => {
    const port = { 'binding:host_id': host };
    await ask(world, 'PUT', `/ports/${portId}`, { port }).expect(200);
  };
  const trunksIn = ({ body }: Replied): Resource[] => (body as { trunks: Resource[] }).trunks;

  describe('POST /v2.0/trunks', () => {
    it('creates a trunk that is down, with its subports', async () => {
      const subPort = await makePort();
      const trunk = await makeTrunk({ name: 't', sub_ports: [vlan(subPort, '7')] });
      expect(trunk).to.include({
        name: 't',
        description: '',
        admin_state_up: true,
        status: 'DOWN',
        revision_number: 0,
      });
      expect(trunk['sub_ports']).to.deep.equal([vlan(subPort, 7)]);
      expect(await show('trunk', trunk.id)).to.deep.equal(trunk);
    });

    it('gives subports with the type inherit the segmentation of their networks', async () => {
      const network = await make(world, 'network', {
        'provider:network_type': 'vlan',
        'provider:physical_network': 'physnet1',
        'provider:segmentation_id': 77,
        mtu: 1400,
        project_id: 'blue',
      });
      const port = await make(world, 'port', { network_id: network.id }, member);
      const inherited = { port_id: port.id, segmentation_type: 'inherit' };
      const trunk = await makeTrunk({ sub_ports: [inherited] });
      expect(trunk['sub_ports']).to.deep.equal([vlan(port, 77)]);
      const tunnel = { ...inherited, port_id: (await makePort()).id };
      expect(await post({ port_id: (await makePort()).id, sub_ports: [tunnel] })).to.match(
        /^400 InvalidInput: .*Unknown segmentation_type 'geneve'/,
      );
    });

    it('returns 400 for invalid subports', async () => {
      const [parent, first, second] = [await makePort(), await makePort(), await makePort()];
      const refused = (sub_ports: unknown): Promise<string> =>
        post({ port_id: parent.id, sub_ports });
      const reason = (why: string): string =>
        `400 HTTPBadRequest: Invalid input for sub_ports. Reason: ${why}.`;
      const operation = (why: string): string =>
        `400 InvalidInput: Invalid input for operation: ${why}.`;
      expect(await refused({})).to.equal(
        reason(`Invalid data format for subports: '{}' is not a list`),
      );
      expect(await refused([7])).to.equal(
        reason(`Invalid data format for subport: '7' is not a dict`),
      );
      expect(await refused([{ segmentation_type: 'vlan' }])).to.equal(
        reason('A valid port UUID must be specified'),
      );
      expect(await refused([{ port_id: 'p' }])).to.equal(reason(`Invalid UUID for subport: 'p'`));
      expect(await refused([vlan(first), vlan(first, 2)])).to.equal(
        reason(`Non unique UUID for subport: '${first.id}'`),
      );
      expect(await refused([vlan(first), vlan(second)])).to.equal(
        reason(`Segmentation ID '100' for '${second.id}' is not unique`),
      );
      expect(await refused([{ port_id: first.id, segmentation_id: 3 }])).to.contain(
        'missing segmentation information',
      );
      expect(await refused([{ port_id: first.id }])).to.equal(
        operation(
          `Invalid subport details '{'port_id': '${first.id}'}': missing segmentation ` +
            'information. Must specify both segmentation_id and segmentation_type',
        ),
      );
      expect(await refused([vlan(first, 'x')])).to.equal(
        operation(`Invalid subport details: segmentation_id 'x' is not an integer`),
      );
      expect(await refused([vlan(first, 4095)])).to.equal(
        operation(`Segmentation ID '4095' is not in range`),
      );
      expect(await refused([{ ...vlan(first), segmentation_type: 'vxlan' }])).to.equal(
        operation(`Unknown segmentation_type 'vxlan'`),
      );
    });

    it('returns 404 for unknown ports, and for those of other projects', async () => {
      const [unknown, foreign, own] = [
        newUuid(),
        await makePort({}, otherMember),
        await makePort(),
      ];
      for (const id of [unknown, foreign.id])
        expect(await post({ port_id: id })).to.equal(
          `404 PortNotFound: Port ${id} could not be found.`,
        );
      expect(await post({ port_id: own.id, sub_ports: [vlan(foreign)] })).to.contain(
        '404 PortNotFound',
      );
    });

    it('returns 409 for a bound port, and for ports that are in trunks or have a device', async () => {
      const subPort = await makePort();
      const trunk = await makeTrunk({ sub_ports: [vlan(subPort)] });
      const [bound, used, free] = [
        await makePort(),
        await makePort({ device_id: 'd' }),
        await makePort(),
      ];
      await bind(bound.id, 'h');
      const ineligible = (id: string): string =>
        `409 ParentPortInUse: Port ${id} is currently in use and is not eligible for use as a ` +
        'parent port.';
      expect(await post({ port_id: bound.id })).to.equal(ineligible(bound.id));
      expect(await post({ port_id: trunk['port_id'] as string })).to.equal(
        ineligible(trunk['port_id'] as string),
      );
      expect(await post({ port_id: subPort.id })).to.equal(
        `409 TrunkPortInUse: Port ${subPort.id} is in use by another trunk.`,
      );
      const refused = (sub_ports: unknown): Promise<string> =>
        post({ port_id: free.id, sub_ports });
      expect(await refused([vlan(free)])).to.equal(ineligible(free.id));
      expect(await refused([vlan(subPort)])).to.contain('409 TrunkPortInUse');
      expect(await refused([vlan({ id: trunk['port_id'] as string })])).to.contain(
        '409 ParentPortInUse',
      );
      expect(await refused([vlan(used)])).to.equal(
        `409 PortInUse: Unable to complete operation on port ${used.id} for network ` +
          `${used['network_id']}. Port already has an attached device d.`,
      );
    });

    it('returns 409 for a subport whose network has a larger MTU', async () => {
      const small = await make(world, 'network', { name: 'n', mtu: 1300 }, member);
      const parent = await make(world, 'port', { network_id: small.id }, member);
      const subPort = await makePort();
      expect(await post({ port_id: parent.id, sub_ports: [vlan(subPort)] })).to.match(
        /^409 SubPortMtuGreaterThanTrunkPortMtu: MTU \d+ of subport .* than MTU 1300 of trunk/,
      );
    });

    it('returns 409 when the project has as many trunks as its quota allows', async () => {
      const project = newUuid();
      await ask(world, 'PUT', `/quotas/${project}`, { quota: { trunk: 1 } }).expect(200);
      const ports = [await makePort(), await makePort()];
      await make(world, 'trunk', { port_id: ports[0]!.id, project_id: project });
      expect(await post({ port_id: ports[1]!.id, project_id: project }, {})).to.equal(
        "409 OverQuota: Quota exceeded for resources: ['trunk'].",
      );
    });

    it('returns 403 for readers', async () => {
      const { id } = await makePort();
      expect(await post({ port_id: id }, reader)).to.contain('403 PolicyNotAuthorized');
    });
  });

  describe('GET /v2.0/trunks', () => {
    it('filters by attributes and tags, but not by subports, and hides other projects', async () => {
      const [first, second] = [await makeTrunk({ name: 'a' }), await makeTrunk({ name: 'b' })];
      await ask(world, 'PUT', `/trunks/${first.id}/tags`, { tags: ['x'] }, member).expect(200);
      await ask(world, 'PUT', `/trunks/${second.id}`, { trunk: { admin_state_up: false } });
      const list = async (query: string, as: Asked = member): Promise<string[]> =>
        trunksIn(await ask(world, 'GET', `/trunks?${query}`, undefined, as).expect(200)).map(
          ({ id }) => id,
        );
      const both = `id=${first.id}&id=${second.id}`;
      expect(await list(`port_id=${first['port_id']}`)).to.deep.equal([first.id]);
      expect(await list(`${both}&tags=x`)).to.deep.equal([first.id]);
      expect(await list(`${both}&admin_state_up=false`)).to.deep.equal([second.id]);
      expect(await list(`${both}&status=DOWN&sort_key=name&sort_dir=desc`)).to.deep.equal([
        second.id,
        first.id,
      ]);
      expect(await list(both, otherMember)).to.deep.equal([]);
      expect(errorOf(await ask(world, 'GET', '/trunks?sub_ports=x'))).to.contain(
        "400 HTTPBadRequest: ['sub_ports'] is invalid attribute for filtering",
      );
    });
  });

  describe('PUT /v2.0/trunks/{id}/add_subports and remove_subports', () => {
    it('returns the trunk without an envelope, with its subports by segmentation id', async () => {
      const [first, second] = [await makePort(), await makePort()];
      const trunk = await makeTrunk({ sub_ports: [vlan(first, 9)] });
      const { body } = await change(trunk, 'add', [vlan(second, 3)]).expect(200);
      const sub_ports = [vlan(second, 3), vlan(first, 9)];
      expect(body).to.deep.include({ id: trunk.id, sub_ports });
      const path = `/trunks/${trunk.id}/get_subports`;
      expect((await ask(world, 'GET', path, undefined, member)).body).to.deep.equal({ sub_ports });
      const left = await change(trunk, 'remove', [{ port_id: first.id }]).expect(200);
      expect(left.body).to.deep.include({ sub_ports: [vlan(second, 3)] });
      await make(world, 'trunk', { port_id: first.id }, member);
    });

    it('returns 409 for a segmentation that the trunk has, and 404 for other ports', async () => {
      const [first, second] = [await makePort(), await makePort()];
      const trunk = await makeTrunk({ sub_ports: [vlan(first)] });
      expect(errorOf(await change(trunk, 'add', [vlan(second)]))).to.equal(
        '409 DuplicateSubPort: segmentation_type vlan and segmentation_id 100 already in use on ' +
          `trunk ${trunk.id}.`,
      );
      expect(errorOf(await change(trunk, 'remove', [{ port_id: second.id }]))).to.equal(
        `404 SubPortNotFound: SubPort ${second.id} on trunk ${trunk.id} could not be found.`,
      );
      expect(errorOf(await change(trunk, 'add', {}))).to.equal(
        "400 InvalidInput: Invalid input for operation: Invalid data format for subports: '{}' is " +
          'not a list.',
      );
      expect(errorOf(await change(trunk, 'add', [vlan(second, 1)], otherMember))).to.equal(
        `404 TrunkNotFound: Trunk ${trunk.id} could not be found.`,
      );
      expect(errorOf(await change(trunk, 'add', [vlan(second, 1)], reader))).to.contain('403');
    });

    it('returns 409 for a disabled trunk, which cannot be deleted either', async () => {
      const port = await makePort();
      const trunk = await makeTrunk({ admin_state_up: false });
      const disabled = `409 TrunkDisabled: Trunk ${trunk.id} is currently disabled.`;
      expect(errorOf(await change(trunk, 'add', [vlan(port)]))).to.equal(disabled);
      expect(errorOf(await change(trunk, 'remove', [vlan(port)]))).to.equal(disabled);
      expect(await remove(`/trunks/${trunk.id}`)).to.equal(disabled);
    });
  });

  describe('a port in a trunk', () => {
    it('shows the trunk of a parent port, and none on other ports', async () => {
      const subPort = await makePort();
      const trunk = await makeTrunk({ sub_ports: [vlan(subPort)] });
      expect((await show('port', trunk['port_id'] as string))['trunk_details']).to.deep.equal({
        trunk_id: trunk.id,
        sub_ports: [{ ...vlan(subPort), mac_address: subPort['mac_address'] as string }],
      });
      expect(await show('port', subPort.id)).not.to.have.property('trunk_details');
    });

    it('cannot be deleted before it has left the trunk', async () => {
      const subPort = await makePort();
      const trunk = await makeTrunk({ sub_ports: [vlan(subPort)] });
      const parent = trunk['port_id'] as string;
      expect(await remove(`/ports/${subPort.id}`)).to.equal(
        `409 PortInUseAsSubPort: Port ${subPort.id} is currently a subport for trunk ${trunk.id}.`,
      );
      expect(await remove(`/ports/${parent}`)).to.equal(
        `409 PortInUseAsTrunkParent: Port ${parent} is currently a parent port for trunk ` +
          `${trunk.id}.`,
      );
      expect(await remove(`/trunks/${trunk.id}`)).to.equal('204 : ');
      expect(await remove(`/ports/${subPort.id}`)).to.equal('204 : ');
      expect(await remove(`/ports/${parent}`)).to.equal('204 : ');
    });
  });

  describe('the binding of a parent port', () => {
    it('binds the subports and activates the trunk, until the port is unbound', async () => {
      const [subPort, later] = [await makePort(), await makePort()];
      const trunk = await makeTrunk({ sub_ports: [vlan(subPort)] });
      const parent = trunk['port_id'] as string;
      await bind(parent, 'h1');
      expect(await show('trunk', trunk.id)).to.include({ status: 'ACTIVE' });
      expect((await show('port', parent))['binding:vif_details']).to.include({
        bridge_name: `tbr-${trunk.id.slice(0, 10)}`,
      });
      const bound = { 'binding:host_id': 'h1', status: 'ACTIVE', device_owner: 'trunk:subport' };
      expect(await show('port', subPort.id)).to.include(bound);
      const added = await change(trunk, 'add', [vlan(later, 2)]).expect(200);
      expect(added.body).to.include({ status: 'ACTIVE' });
      expect(await show('port', later.id)).to.include(bound);
      await change(trunk, 'remove', [vlan(later, 2)]).expect(200);
      expect(await show('port', later.id)).to.include({ 'binding:host_id': '', status: 'DOWN' });
      await bind(parent, 'h2');
      expect(await show('port', subPort.id)).to.include({ 'binding:host_id': 'h2' });
      expect(await remove(`/trunks/${trunk.id}`)).to.equal(
        `409 TrunkInUse: Trunk ${trunk.id} is currently in use.`,
      );
      await bind(parent, '');
      expect(await show('trunk', trunk.id)).to.include({ status: 'DOWN' });
      expect(await show('port', subPort.id)).to.include({ 'binding:host_id': '', status: 'DOWN' });
    });
  });
});
