// RBAC policies: how projects share networks, subnet pools, address scopes and security groups.
import { expect } from 'chai';
import { newUuid } from '../../../src/kernel/ids.ts';
import { onEachDatabase, type Asked } from '../../support/cloud.ts';
import { ask, errorOf, make, someone, type Resource } from './support.ts';

/** Three projects: their ids are UUIDs, as targets must be. */
const [blue, red, green] = [newUuid(), newUuid(), newUuid()];

onEachDatabase('network: RBAC policies', { auth: 'noauth2' }, (world) => {
  const [asBlue, asRed, asGreen] = [blue, red, green].map((project) =>
    someone('member,reader', 'ann', project),
  ) as [Asked, Asked, Asked];

  const share = (fields: object, as: Asked = asBlue): Promise<Resource> =>
    make(world, 'rbac_policy', { action: 'access_as_shared', target_tenant: red, ...fields }, as);
  const shareNetwork = async (fields: object = {}, as: Asked = asBlue): Promise<Resource> => {
    const { id } = await make(world, 'network', { project_id: blue }, as);
    return share({ object_type: 'network', object_id: id, ...fields }, as);
  };
  const refusal = async (fields: object, as: Asked = asBlue): Promise<string> =>
    errorOf(
      await ask(
        world,
        'POST',
        '/rbac-policies',
        {
          rbac_policy: {
            action: 'access_as_shared',
            object_type: 'network',
            target_tenant: red,
            ...fields,
          },
        },
        as,
      ),
    );
  const remove = async (policy: Resource, as: Asked = asBlue): Promise<string> =>
    errorOf(await ask(world, 'DELETE', `/rbac-policies/${policy.id}`, undefined, as));
  const seen = async (path: string, as: Asked): Promise<string[]> => {
    const { body } = await ask(world, 'GET', path, undefined, as).expect(200);
    const [list] = Object.values(body as Record<string, Resource[]>);
    return list!.map(({ id }) => id);
  };
  const shown = async (path: string, as: Asked): Promise<Resource> => {
    const { body } = await ask(world, 'GET', path, undefined, as).expect(200);
    return Object.values(body as Record<string, Resource>)[0]!;
  };

  describe('POST /v2.0/rbac-policies', () => {
    it('creates a policy', async () => {
      const policy = await shareNetwork();
      expect(policy).to.deep.equal({
        id: policy.id,
        object_type: 'network',
        object_id: policy['object_id'],
        action: 'access_as_shared',
        target_tenant: red,
        project_id: blue,
        tenant_id: blue,
      });
    });

    it('returns 400 for an unknown type, action, target or object', async () => {
      const { id: object_id } = await make(world, 'network', {}, asBlue);
      const unknown = newUuid();
      expect(await refusal({ object_id, object_type: 'router' })).to.equal(
        "400 InvalidInput: Invalid input for operation: 'router' is not a valid RBAC object type.",
      );
      expect(await refusal({ object_id, action: 'access_as_owner' })).to.equal(
        "400 InvalidActionForType: Invalid action 'access_as_owner' for object type 'network'. " +
          "Valid actions: ('access_as_shared', 'access_as_external')",
      );
      expect(await refusal({ object_id, target_tenant: 'red' })).to.equal(
        "400 InvalidInput: Invalid input for operation: 'red' is not a valid target project ID; " +
          "expected a UUID or '*'.",
      );
      expect(await refusal({ object_id: unknown })).to.equal(
        `400 InvalidInput: Invalid input for operation: Network ${unknown} could not be found..`,
      );
    });

    it('returns 400 for the object of another project, also if it is shared', async () => {
      const policy = await shareNetwork();
      expect(
        await refusal({ object_id: policy['object_id'], target_tenant: green }, asRed),
      ).to.contain('Only admins can manipulate policies on networks they do not own');
      const group = await make(world, 'security_group', { name: 'g' }, asBlue);
      expect(
        await refusal({ object_type: 'security_group', object_id: group.id }, asRed),
      ).to.contain('Only admins can manipulate policies on objects they do not own');
    });

    it('returns 409 for a policy that exists', async () => {
      const { object_id } = await shareNetwork();
      expect(await refusal({ object_id })).to.equal(
        '409 DuplicateRbacPolicy: An RBAC policy already exists with those values.',
      );
    });

    it('lets only administrators share with all projects', async () => {
      const { id: object_id } = await make(world, 'network', {}, asBlue);
      expect(await refusal({ object_id, target_tenant: '*' })).to.contain(
        '403 PolicyNotAuthorized',
      );
      await share({ object_type: 'network', object_id, target_tenant: '*' }, {});
      expect(await seen('/networks', asGreen)).to.contain(object_id);
    });

    it('returns 409 if the quota of policies is exceeded', async () => {
      await ask(world, 'PUT', `/quotas/${blue}`, { quota: { rbac_policy: 1 } }).expect(200);
      const { object_id } = await shareNetwork();
      expect(await refusal({ object_id, target_tenant: green })).to.equal(
        "409 OverQuota: Quota exceeded for resources: ['rbac_policy'].",
      );
    });

    it('changes the revision of a network', async () => {
      const network = await make(world, 'network', {}, asBlue);
      await share({ object_type: 'network', object_id: network.id });
      const { revision_number: after } = await shown(`/networks/${network.id}`, asBlue);
      expect(after).to.be.greaterThan(network['revision_number'] as number);
    });

    it('returns 400 for a subnet pool whose address scope the target does not see', async () => {
      const scope = await make(world, 'address_scope', { name: 's', ip_version: 4 }, asBlue);
      const fields = { name: 'p', prefixes: ['10.20.0.0/16'], address_scope_id: scope.id };
      const pool = await make(world, 'subnetpool', fields, asBlue);
      const object = { object_type: 'subnetpool', object_id: pool.id };
      expect(await refusal(object)).to.contain('400 RbacPolicyInitError');
      await share({ object_type: 'address_scope', object_id: scope.id });
      await share(object);
      expect(await seen('/subnetpools', asRed)).to.deep.equal([pool.id]);
    });
  });

  describe('a shared network', () => {
    it('is seen by the target, with its subnets, and by nobody else', async () => {
      const { object_id } = await shareNetwork();
      const subnet = await make(
        world,
        'subnet',
        { network_id: object_id, ip_version: 4, cidr: '10.9.0.0/24' },
        asBlue,
      );
      expect(await seen('/networks', asRed)).to.contain(object_id);
      expect(await seen(`/subnets?network_id=${String(object_id)}`, asRed)).to.deep.equal([
        subnet.id,
      ]);
      expect(await seen('/networks', asGreen)).not.to.contain(object_id);
      expect(await seen('/subnets', asGreen)).not.to.contain(subnet.id);
    });

    it('shows shared only to the target, and is found by that', async () => {
      const { object_id } = await shareNetwork();
      const path = `/networks/${String(object_id)}`;
      expect((await shown(path, asRed))['shared']).to.equal(true);
      expect((await shown(path, asBlue))['shared']).to.equal(false);
      expect(await seen('/networks?shared=true', asRed)).to.contain(object_id);
      expect(await seen('/networks?shared=false', asRed)).not.to.contain(object_id);
      expect(await seen('/networks?shared=false', asBlue)).to.contain(object_id);
    });

    it('takes ports of the target, which then keep the policy', async () => {
      const policy = await shareNetwork();
      const port = await make(world, 'port', { network_id: policy['object_id'] }, asRed);
      expect(await remove(policy)).to.contain('409 RbacPolicyInUse');
      expect(
        errorOf(
          await ask(
            world,
            'PUT',
            `/rbac-policies/${policy.id}`,
            { rbac_policy: { target_tenant: green } },
            asBlue,
          ),
        ),
      ).to.contain('409 RbacPolicyInUse');
      await ask(world, 'DELETE', `/ports/${port.id}`, undefined, asRed).expect(204);
      await ask(world, 'DELETE', `/rbac-policies/${policy.id}`, undefined, asBlue).expect(204);
      expect(await seen('/networks', asRed)).not.to.contain(policy['object_id']);
    });

    it('keeps no policy if all projects may use it anyway', async () => {
      const policy = await shareNetwork();
      await make(world, 'port', { network_id: policy['object_id'] }, asRed);
      await share({ ...policy, id: undefined, tenant_id: undefined, target_tenant: '*' }, {});
      await ask(world, 'DELETE', `/rbac-policies/${policy.id}`, undefined, asBlue).expect(204);
    });
  });

  describe('PUT /v2.0/rbac-policies/{id}', () => {
    it('changes the target', async () => {
      const policy = await shareNetwork();
      const { body } = await ask(
        world,
        'PUT',
        `/rbac-policies/${policy.id}`,
        { rbac_policy: { target_tenant: green } },
        asBlue,
      ).expect(200);
      expect((body as { rbac_policy: Resource }).rbac_policy).to.deep.equal({
        ...policy,
        target_tenant: green,
      });
      expect(await seen('/networks', asGreen)).to.contain(policy['object_id']);
      expect(await seen('/networks', asRed)).not.to.contain(policy['object_id']);
    });
  });

  describe('GET /v2.0/rbac-policies', () => {
    it('lists the policies of the project only, and filters them', async () => {
      const policy = await shareNetwork();
      const other = await share({
        ...policy,
        id: undefined,
        tenant_id: undefined,
        target_tenant: green,
      });
      expect(await seen('/rbac-policies', asBlue)).to.have.members([policy.id, other.id]);
      expect(await seen(`/rbac-policies?target_tenant=${green}`, asBlue)).to.deep.equal([other.id]);
      expect(await seen('/rbac-policies', asRed)).to.deep.equal([]);
      expect(
        errorOf(await ask(world, 'GET', `/rbac-policies/${policy.id}`, undefined, asRed)),
      ).to.equal(
        `404 RbacPolicyNotFound: RBAC policy of type unknown with ID ${policy.id} not found`,
      );
    });
  });

  describe('the attribute shared', () => {
    it('represents a policy for all projects', async () => {
      const network = await make(world, 'network', { shared: true }, {});
      const path = `/rbac-policies?object_id=${network.id}`;
      expect(await seen(path, {})).to.have.length(1);
      await ask(world, 'PUT', `/networks/${network.id}`, { network: { shared: false } }).expect(
        200,
      );
      expect(await seen(path, {})).to.deep.equal([]);
      expect(await seen('/networks', asRed)).not.to.contain(network.id);
    });

    it('can become false if policies for single projects remain for those that use it', async () => {
      const network = await make(world, 'network', { shared: true }, {});
      await make(world, 'port', { network_id: network.id }, asRed);
      const unshare = () =>
        ask(world, 'PUT', `/networks/${network.id}`, { network: { shared: false } });
      expect(errorOf(await unshare())).to.contain('409 InvalidSharedSetting');
      await share({ object_type: 'network', object_id: network.id }, {});
      await unshare().expect(200);
    });

    it('ends with the network', async () => {
      const network = await make(world, 'network', { shared: true }, {});
      await ask(world, 'DELETE', `/networks/${network.id}`).expect(204);
      expect(await seen(`/rbac-policies?object_id=${network.id}`, {})).to.deep.equal([]);
    });
  });

  describe('the action access_as_external', () => {
    const external = async (target: string): Promise<Resource> =>
      shareNetwork({ action: 'access_as_external', target_tenant: target }, {});

    it('makes a network external for the target alone', async () => {
      const { object_id } = await external(red);
      expect((await shown(`/networks/${String(object_id)}`, asRed))['router:external']).to.equal(
        true,
      );
      expect(await seen('/networks?router:external=true', asGreen)).not.to.contain(object_id);
    });

    it('is kept by routers of the target, and makes the network internal again', async () => {
      const policy = await external(red);
      const network = String(policy['object_id']);
      await make(world, 'subnet', { network_id: network, ip_version: 4, cidr: '10.9.0.0/24' }, {});
      const router = await make(
        world,
        'router',
        { external_gateway_info: { network_id: network } },
        asRed,
      );
      expect(await remove(policy, {})).to.contain('409 RbacPolicyInUse');
      await ask(world, 'DELETE', `/routers/${router.id}`, undefined, asRed).expect(204);
      await ask(world, 'DELETE', `/rbac-policies/${policy.id}`).expect(204);
      expect((await shown(`/networks/${network}`, {}))['router:external']).to.equal(false);
    });

    it('is a policy for all projects if a network is created as external', async () => {
      const network = await make(world, 'network', { 'router:external': true }, {});
      const [policy] = await seen(`/rbac-policies?object_id=${network.id}`, {});
      const { action, target_tenant } = await shown(`/rbac-policies/${policy!}`, {});
      expect([action, target_tenant]).to.deep.equal(['access_as_external', '*']);
    });
  });

  describe('a shared security group', () => {
    it('can be used by ports of the target, which then keep the policy', async () => {
      const group = await make(world, 'security_group', { name: 'g' }, asBlue);
      const { id: network_id } = await make(world, 'network', {}, asRed);
      const fields = { network_id, security_groups: [group.id] };
      expect(errorOf(await ask(world, 'POST', '/ports', { port: fields }, asRed))).to.contain(
        '404 SecurityGroupNotFound',
      );
      const policy = await share({ object_type: 'security_group', object_id: group.id });
      expect((await shown(`/security-groups/${group.id}`, asRed))['shared']).to.equal(true);
      const port = await make(world, 'port', fields, asRed);
      expect(await remove(policy)).to.contain(`409 RbacPolicyInUse`);
      await ask(world, 'DELETE', `/ports/${port.id}`, undefined, asRed).expect(204);
      await ask(world, 'DELETE', `/rbac-policies/${policy.id}`, undefined, asBlue).expect(204);
      expect(await seen('/security-groups?shared=true', asRed)).to.deep.equal([]);
    });
  });
});
