// GET /_emulator/capacity/servers: how many more servers fit, where, and what runs out first.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, config } from '../support.ts';
import { admin, liftQuotas, madeGroup, madeServer, newest } from '../servers/makers.ts';

interface Capacity {
  readonly count: number;
  readonly summary: string;
  readonly text: readonly string[];
  readonly hosts: readonly {
    readonly name: string;
    readonly count: number;
    readonly reason: string;
  }[];
  readonly zones: readonly object[];
  readonly aggregates: readonly object[];
  readonly resources: readonly { readonly resource_class: string }[];
}

onEachDatabase('compute: capacity for servers', config, (world) => {
  const capacity = async (query: string): Promise<Capacity> => {
    const reply = await world.ask('', 'GET', `/_emulator/capacity/servers?${query}`);
    expect(reply.status, reply.text).to.equal(200);
    return (reply.body as { capacity: Capacity }).capacity;
  };
  const refusal = async (query: string): Promise<string> => {
    const reply = await world.ask('', 'GET', `/_emulator/capacity/servers?${query}`);
    expect(reply.status, reply.text).to.equal(400);
    return (reply.body as { error: { message: string } }).error.message;
  };

  it('counts the servers of each host and zone, and says what runs out', async () => {
    const counted = await capacity('flavor=m1.xlarge');
    expect(counted.count).to.equal(9);
    expect(counted.hosts.map(({ name, count, reason }) => [name, count, reason])).to.deep.equal([
      ['compute-1', 3, 'not enough MEMORY_MB'],
      ['compute-2', 3, 'not enough MEMORY_MB'],
      ['compute-3', 3, 'not enough MEMORY_MB'],
    ]);
    expect(counted.zones).to.deep.equal([{ name: 'nova', count: 9, hosts: 3 }]);
    expect(counted.resources.find((one) => one.resource_class === 'MEMORY_MB')).to.deep.equal({
      resource_class: 'MEMORY_MB',
      requested: 16384,
      free: 195072,
      largest: 65024,
      largest_on: 'compute-1',
      fits_in_sum: 11,
    });
    expect(counted.text.join('\n')).to.match(/^compute-1 +nova +3 +not enough MEMORY_MB$/m);
  });

  it('counts less after a server has been created, and claims nothing itself', async () => {
    await liftQuotas(world);
    const before = await capacity('flavor=m1.xlarge');
    await madeServer(world, { flavorRef: '5' });
    await capacity('flavor=m1.xlarge');
    expect((await capacity('flavor=m1.xlarge')).count).to.equal(before.count - 1);
  });

  it('counts the hosts that a group still leaves free', async () => {
    const group = await madeGroup(world, 'anti-affinity');
    await madeServer(world, {}, { ...admin, hints: { group } });
    const counted = await capacity(`flavor=m1.tiny&group=${group}`);
    expect(counted.count).to.equal(2);
    expect(counted.hosts[0]!.reason).to.equal(
      'the host has 1 of at most 1 members of the server group',
    );
    const twice = 'group_policy=anti-affinity&max_server_per_host=2';
    expect((await capacity(`flavor=m1.tiny&${twice}`)).count).to.equal(6);
  });

  it('counts no servers on a host whose service is disabled', async () => {
    const listed = await ask(world, 'GET', '/os-services?host=compute-2', {
      ...admin,
      version: newest,
    });
    const [service] = (listed.body as { services: { id: string }[] }).services;
    await ask(world, 'PUT', `/os-services/${service!.id}`, {
      ...admin,
      version: newest,
      body: { status: 'disabled' },
    }).expect(200);
    const counted = await capacity('flavor=m1.xlarge');
    expect(counted.count).to.equal(6);
    expect(counted.hosts[1]).to.include({
      count: 0,
      reason: 'the host has a compute service that is disabled',
    });
  });

  it('returns 400 for an unknown flavor, image, zone or group', async () => {
    expect(await refusal('flavor=none')).to.match(/^There is no flavor 'none'\. Flavors: /);
    expect(await refusal('flavor=1&image=none')).to.match(/^There is no image 'none'/);
    expect(await refusal('flavor=1&zone=none')).to.match(/^There is no availability zone 'none'/);
    expect(await refusal('flavor=1&group=none')).to.equal("There is no server group 'none'.");
    expect(await refusal('flavor=1&max_server_per_host=2')).to.include('anti-affinity');
  });
});
