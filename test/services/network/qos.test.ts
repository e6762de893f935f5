// QoS policies, their rules, and the networks, ports, floating IPs and gateways that have one.
import { expect } from 'chai';
import { newUuid } from '../../../src/kernel/ids.ts';
import { onEachDatabase, type Asked } from '../../support/cloud.ts';
import { ask, errorOf, make, makeNetwork, member, someone, type Resource } from './support.ts';

const manager = someone('manager,member,reader', 'ann', 'blue');

onEachDatabase('network: QoS', { auth: 'noauth2' }, (world) => {
  const post = (path: string, body: object, as: Asked = {}) => ask(world, 'POST', path, body, as);
  const created = async (path: string, noun: string, fields: object, as?: Asked) => {
    const { body } = await post(path, { [noun]: fields }, as).expect(201);
    return (body as Record<string, Resource>)[noun]!;
  };
  const makePolicy = (fields: object = {}, as?: Asked): Promise<Resource> =>
    created('/qos/policies', 'policy', { name: 'gold', ...fields }, as);
  const rulesPath = ({ id }: Resource, type: string): string => `/qos/policies/${id}/${type}_rules`;
  const makeRule = (policy: Resource, type: string, fields: object, as?: Asked) =>
    created(rulesPath(policy, type), `${type}_rule`, fields, as);
  const refusedRule = async (policy: Resource, type: string, fields: object, as?: Asked) =>
    errorOf(await post(rulesPath(policy, type), { [`${type}_rule`]: fields }, as));
  const shown = async (path: string, as?: Asked): Promise<Resource> => {
    const { body } = await ask(world, 'GET', path, undefined, as).expect(200);
    return Object.values(body as Record<string, Resource>)[0]!;
  };
  const listed = async (path: string, as?: Asked): Promise<Resource[]> =>
    (await shown(path, as)) as unknown as Resource[];
  const put = (path: string, noun: string, fields: object, as?: Asked) =>
    ask(world, 'PUT', path, { [noun]: fields }, as);
  const remove = async (path: string, as?: Asked): Promise<string> =>
    errorOf(await ask(world, 'DELETE', path, undefined, as));

  describe('policies', () => {
    it('show their rules by type, and count changes of rules as revisions', async () => {
      const policy = await makePolicy();
      expect(policy).to.include({ is_default: false, shared: false, revision_number: 0 });
      const mark = await makeRule(policy, 'dscp_marking', { dscp_mark: 26 });
      const limit = await makeRule(policy, 'bandwidth_limit', { max_kbps: '200' });
      const { rules, revision_number } = await shown(`/qos/policies/${policy.id}`);
      expect(rules).to.deep.equal([
        {
          id: limit.id,
          qos_policy_id: policy.id,
          type: 'bandwidth_limit',
          max_kbps: 200,
          max_burst_kbps: 0,
          direction: 'egress',
        },
        { id: mark.id, qos_policy_id: policy.id, type: 'dscp_marking', dscp_mark: 26 },
      ]);
      expect(revision_number).to.equal(2);
      expect(await remove(`/qos/policies/${policy.id}`)).to.equal('204 : ');
    });

    it('are created by managers only, and seen by members', async () => {
      expect(errorOf(await post('/qos/policies', { policy: {} }, member))).to.equal(
        '403 PolicyNotAuthorized: rule:create_policy is disallowed by policy',
      );
      const { id } = await makePolicy({}, manager);
      expect((await shown(`/qos/policies/${id}`, member))['name']).to.equal('gold');
      expect(errorOf(await put(`/qos/policies/${id}`, 'policy', { name: 'b' }, member))).to.contain(
        '403 PolicyNotAuthorized',
      );
    });

    it('have tags at both paths', async () => {
      const { id } = await makePolicy();
      await ask(world, 'PUT', `/policies/${id}/tags`, { tags: ['fast'] }).expect(200);
      const { body } = await ask(world, 'GET', `/qos/policies/${id}/tags`).expect(200);
      expect(body).to.deep.equal({ tags: ['fast'] });
      expect((await listed('/qos/policies?tags=fast')).map((one) => one.id)).to.deep.equal([id]);
    });

    it('can be the default of new networks of their project, one at a time', async () => {
      const project_id = newUuid();
      const policy = await makePolicy({ project_id, is_default: true });
      expect(
        errorOf(await post('/qos/policies', { policy: { project_id, is_default: true } })),
      ).to.equal(
        `409 QoSPolicyDefaultAlreadyExists: A default QoS policy exists for project ${project_id}.`,
      );
      const found = await listed(`/qos/policies?is_default=true&project_id=${project_id}`);
      expect(found.map(({ id }) => id)).to.deep.equal([policy.id]);
      const network = await make(world, 'network', { project_id });
      expect(network['qos_policy_id']).to.equal(policy.id);
      await put(`/qos/policies/${policy.id}`, 'policy', { is_default: false }).expect(200);
      expect((await make(world, 'network', { project_id }))['qos_policy_id']).to.equal(null);
      await makePolicy({ project_id, is_default: true });
    });

    it('are shared with all projects, or with one, which keeps the sharing', async () => {
      const red = newUuid();
      const asRed = someone('member,reader', 'eve', red);
      const policy = await makePolicy({ shared: true });
      const network = await make(world, 'network', { qos_policy_id: policy.id }, asRed);
      const unshare = { shared: false };
      expect(errorOf(await put(`/qos/policies/${policy.id}`, 'policy', unshare))).to.contain(
        '409 RbacPolicyInUse',
      );
      await make(world, 'rbac_policy', {
        object_type: 'qos_policy',
        object_id: policy.id,
        action: 'access_as_shared',
        target_tenant: red,
      });
      await put(`/qos/policies/${policy.id}`, 'policy', unshare).expect(200);
      expect((await shown(`/qos/policies/${policy.id}`, asRed))['shared']).to.equal(true);
      expect((await shown(`/networks/${network.id}`, asRed))['qos_policy_id']).to.equal(policy.id);
      expect(
        errorOf(await ask(world, 'GET', `/qos/policies/${policy.id}`, undefined, member)),
      ).to.equal(`404 QosPolicyNotFound: QoS policy ${policy.id} could not be found.`);
    });
  });

  describe('rules', () => {
    it('are listed, shown, updated and deleted below their policy', async () => {
      const [policy, other] = [await makePolicy(), await makePolicy()];
      const rule = await makeRule(policy, 'packet_rate_limit', { max_kpps: 5 });
      expect(rule).to.deep.equal({
        id: rule.id,
        max_kpps: 5,
        max_burst_kpps: 0,
        direction: 'egress',
      });
      const path = rulesPath(policy, 'packet_rate_limit');
      expect(await listed(path)).to.deep.equal([rule]);
      expect(await listed(`${path}?max_kpps=6`)).to.deep.equal([]);
      expect(await listed(rulesPath(other, 'packet_rate_limit'))).to.deep.equal([]);
      await put(`${path}/${rule.id}`, 'packet_rate_limit_rule', { max_kpps: 6 }).expect(200);
      expect((await shown(`${path}/${rule.id}`))['max_kpps']).to.equal(6);
      expect(await remove(`${path}/${rule.id}`)).to.equal('204 : ');
      expect(errorOf(await ask(world, 'GET', `${path}/${rule.id}`))).to.equal(
        `404 QosRuleNotFound: QoS rule ${rule.id} for policy ${policy.id} could not be found.`,
      );
    });

    it('are shown, updated and deleted without their policy', async () => {
      const policy = await makePolicy();
      const { id } = await makeRule(policy, 'minimum_bandwidth', { min_kbps: 5 });
      const path = `/qos/alias-minimum-bandwidth-rules/${id}`;
      const noun = 'alias_minimum_bandwidth_rule';
      expect(await shown(path)).to.deep.equal({ id, min_kbps: 5, direction: 'egress' });
      await put(path, noun, { min_kbps: 7 }).expect(200);
      expect((await shown(path))['min_kbps']).to.equal(7);
      expect(await remove(path)).to.equal('204 : ');
      expect(await remove(path)).to.equal(
        `404 QosRuleNotFound: QoS rule ${id} for policy  could not be found.`,
      );
    });

    it('return 409 if they conflict', async () => {
      const policy = await makePolicy();
      const limit = await makeRule(policy, 'bandwidth_limit', { max_kbps: 100 });
      expect(await refusedRule(policy, 'bandwidth_limit', { max_kbps: 200 })).to.equal(
        `409 QoSRulesConflict: Rule bandwidth_limit conflicts with rule ${limit.id} which already ` +
          `exists in QoS Policy ${policy.id}.`,
      );
      expect(await refusedRule(policy, 'minimum_bandwidth', { min_kbps: 101 })).to.equal(
        '409 QoSRuleParameterConflict: Unable to add the rule with value 101 to the policy ' +
          `${policy.id} as the existing rule of type bandwidth_limit has value 100.`,
      );
      await makeRule(policy, 'minimum_bandwidth', { min_kbps: 101, direction: 'ingress' });
      await makeRule(policy, 'minimum_packet_rate', { min_kpps: 1, direction: 'any' });
      expect(await refusedRule(policy, 'minimum_packet_rate', { min_kpps: 1 })).to.contain(
        'Unable to add the rule with value egress',
      );
    });

    it('return 400 for values out of range', async () => {
      const policy = await makePolicy();
      expect(await refusedRule(policy, 'dscp_marking', { dscp_mark: 58 })).to.contain(
        '400 HTTPBadRequest: Invalid input for dscp_mark. Reason: 58 is not in [0, 8,',
      );
      expect(await refusedRule(policy, 'bandwidth_limit', { max_kbps: -1 })).to.contain(
        "'-1' is too small - must be at least '0'",
      );
      expect(
        await refusedRule(policy, 'minimum_bandwidth', { min_kbps: 1, direction: 'any' }),
      ).to.contain('400 HTTPBadRequest: Invalid input for direction.');
    });

    it('are for managers of the policy, whose members see them', async () => {
      const policy = await makePolicy({}, manager);
      const rule = await makeRule(policy, 'dscp_marking', { dscp_mark: 8 }, manager);
      expect(await refusedRule(policy, 'bandwidth_limit', { max_kbps: 1 }, member)).to.contain(
        '403',
      );
      const path = `${rulesPath(policy, 'dscp_marking')}/${rule.id}`;
      expect((await shown(path, member))['dscp_mark']).to.equal(8);
      expect(await remove(path, member)).to.contain('403');
      const foreign = await makePolicy({ shared: true });
      await makeRule(foreign, 'dscp_marking', { dscp_mark: 8 });
      expect(await listed(rulesPath(foreign, 'dscp_marking'), member)).to.deep.equal([]);
      const hidden = await makePolicy();
      expect(
        errorOf(await ask(world, 'GET', rulesPath(hidden, 'dscp_marking'), undefined, member)),
      ).to.contain('404 QosPolicyNotFound');
    });
  });

  describe('rule types', () => {
    it('are listed for all, and shown with their driver to administrators', async () => {
      expect(await listed('/qos/rule-types?all_supported=true', member)).to.deep.equal([
        { type: 'bandwidth_limit' },
        { type: 'dscp_marking' },
        { type: 'minimum_bandwidth' },
        { type: 'minimum_packet_rate' },
        { type: 'packet_rate_limit' },
      ]);
      const { drivers } = await shown('/qos/rule-types/minimum_packet_rate');
      expect(drivers).to.deep.equal([
        {
          name: 'openvswitch',
          supported_parameters: [
            {
              parameter_name: 'min_kpps',
              parameter_type: 'range',
              parameter_values: { start: 0, end: 2147483647 },
            },
            {
              parameter_name: 'direction',
              parameter_type: 'choices',
              parameter_values: ['any', 'ingress', 'egress'],
            },
          ],
        },
      ]);
      const path = '/qos/rule-types/dscp_marking';
      expect(errorOf(await ask(world, 'GET', path, undefined, member))).to.equal(
        '403 NotAuthorized: Not authorized.',
      );
    });
  });

  describe('ports and networks', () => {
    it('have policies, which cannot be deleted', async () => {
      const [own, ofNetwork] = [await makePolicy(), await makePolicy()];
      const network = await make(world, 'network', { qos_policy_id: ofNetwork.id });
      const port = await make(world, 'port', { network_id: network.id, qos_policy_id: own.id });
      expect(port).to.include({ qos_policy_id: own.id, qos_network_policy_id: ofNetwork.id });
      expect(await remove(`/qos/policies/${own.id}`)).to.equal(
        `409 QosPolicyInUse: QoS Policy ${own.id} is used by port ${port.id}.`,
      );
      expect(await remove(`/qos/policies/${ofNetwork.id}`)).to.contain(`network ${network.id}`);
      await put(`/ports/${port.id}`, 'port', { qos_policy_id: null }).expect(200);
      expect(await remove(`/qos/policies/${own.id}`)).to.equal('204 : ');
    });

    it('return 404 for policies that the caller does not see, and 403 for removing them', async () => {
      const policy = await makePolicy();
      const network = await make(world, 'network', {}, member);
      const set = { qos_policy_id: policy.id };
      expect(errorOf(await put(`/networks/${network.id}`, 'network', set, member))).to.contain(
        '404 QosPolicyNotFound',
      );
      await put(`/networks/${network.id}`, 'network', set).expect(200);
      expect(
        errorOf(await put(`/networks/${network.id}`, 'network', { qos_policy_id: null }, member)),
      ).to.equal(
        `403 PolicyRemoveAuthorizationError: Failed to remove provided policy ${policy.id} ` +
          'because you are not authorized.',
      );
      const port = await make(world, 'port', { network_id: network.id }, member);
      expect(port['qos_network_policy_id']).to.equal(policy.id);
      await put(`/networks/${network.id}`, 'network', { name: 'kept' }, member).expect(200);
    });

    it('return 409 if the driver does not apply the rules', async () => {
      const policy = await makePolicy();
      const { network } = await makeNetwork(world, '10.1.0.0/24');
      const macvtap = { network_id: network.id, 'binding:vnic_type': 'macvtap' };
      const port = await make(world, 'port', { ...macvtap, qos_policy_id: policy.id });
      const refusal = `409 QosRuleNotSupported: Rule dscp_marking is not supported by port`;
      expect(await refusedRule(policy, 'dscp_marking', { dscp_mark: 8 })).to.equal(
        `${refusal} ${port.id}`,
      );
      await put(`/ports/${port.id}`, 'port', { qos_policy_id: null }).expect(200);
      await makeRule(policy, 'dscp_marking', { dscp_mark: 8 });
      const set = { qos_policy_id: policy.id };
      expect(errorOf(await put(`/ports/${port.id}`, 'port', set))).to.contain(refusal);
      expect(errorOf(await put(`/networks/${network.id}`, 'network', set))).to.contain(refusal);
      expect(errorOf(await post('/ports', { port: { ...macvtap, ...set } }))).to.contain(refusal);
    });

    it('show administrators what they request of Placement', async () => {
      const policy = await makePolicy({ shared: true });
      const bandwidth = await makeRule(policy, 'minimum_bandwidth', { min_kbps: 1000 });
      await makeRule(policy, 'minimum_packet_rate', { min_kpps: 5, direction: 'any' });
      const network = await make(world, 'network', {
        'provider:network_type': 'vlan',
        'provider:physical_network': 'public',
        qos_policy_id: policy.id,
      });
      const port = await make(world, 'port', { network_id: network.id });
      const [first, second] = port['resource_request']['same_subtree'] as string[];
      expect(port['resource_request']['request_groups']).to.deep.equal([
        {
          id: first,
          required: ['CUSTOM_PHYSNET_PUBLIC', 'CUSTOM_VNIC_TYPE_NORMAL'],
          resources: { NET_BW_EGR_KILOBIT_PER_SEC: 1000 },
        },
        {
          id: second,
          required: ['CUSTOM_VNIC_TYPE_NORMAL'],
          resources: { NET_PACKET_RATE_KILOPACKET_PER_SEC: 5 },
        },
      ]);
      const tunnel = await make(world, 'network', {}, member);
      const set = { network_id: tunnel.id, qos_policy_id: policy.id };
      const own = await make(world, 'port', set, member);
      expect(own).to.not.have.property('resource_request');
      const { request_groups: groups } = (await shown(`/ports/${own.id}`))['resource_request'] as {
        request_groups: { required: string[] }[];
      };
      expect(groups[0]!.required[0]).to.equal('CUSTOM_NETWORK_TUNNEL_PROVIDER');

      await put(`/ports/${own.id}`, 'port', { device_owner: 'compute:nova' }).expect(200);
      const path = `${rulesPath(policy, 'minimum_bandwidth')}/${bandwidth.id}`;
      const refusal =
        '501 NotImplementedError: Cannot update QoS policies/rules backed by resources tracked in ' +
        'Placement';
      expect(await remove(path)).to.equal(refusal);
      expect(errorOf(await put(path, 'minimum_bandwidth_rule', { min_kbps: 5 }))).to.equal(refusal);
      expect(await shown(path)).to.include({ min_kbps: 1000 });
    });
  });

  describe('floating IPs and gateways', () => {
    it('have policies, which cannot be deleted', async () => {
      const policy = await makePolicy();
      const set = { qos_policy_id: policy.id };
      const external = await make(world, 'network', { 'router:external': true });
      const cidr = { network_id: external.id, ip_version: 4, cidr: '203.0.113.0/24' };
      await make(world, 'subnet', cidr);
      const floating = await make(world, 'floatingip', {
        floating_network_id: external.id,
        ...set,
      });
      expect(floating['qos_policy_id']).to.equal(policy.id);
      expect(await remove(`/qos/policies/${policy.id}`)).to.contain(`fip ${floating.id}`);
      const path = `/floatingips/${floating.id}`;
      await put(path, 'floatingip', { description: 'kept' }).expect(200);
      expect((await shown(path))['qos_policy_id']).to.equal(policy.id);
      await put(path, 'floatingip', { qos_policy_id: null }).expect(200);

      const gateway = { network_id: external.id };
      const router = await make(world, 'router', { external_gateway_info: gateway });
      expect(router['external_gateway_info']).to.not.have.property('qos_policy_id');
      const putGateway = async (info: object | null): Promise<unknown> => {
        const fields = { external_gateway_info: info };
        const { body } = await put(`/routers/${router.id}`, 'router', fields).expect(200);
        return (body as { router: Resource }).router['external_gateway_info'];
      };
      expect(await putGateway({ ...gateway, ...set })).to.include(set);
      expect(await putGateway(gateway)).to.include(set);
      expect(await remove(`/qos/policies/${policy.id}`)).to.contain(`router ${router.id}`);
      expect(await putGateway(null)).to.equal(null);
      expect(await remove(`/qos/policies/${policy.id}`)).to.equal('204 : ');
    });
  });
});
