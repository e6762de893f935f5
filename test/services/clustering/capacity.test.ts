// GET /_emulator/capacity/nodes: how many more nodes of a profile fit.
import { expect } from 'chai';
import { onClustering } from './support.ts';

interface Counted {
  readonly count: number;
  readonly summary: string;
  readonly hosts: readonly { readonly name: string; readonly count: number }[];
}

onClustering('capacity for nodes', { az1: 2, az2: 1 }, (clustering, world) => {
  const profile = (name: string, spec: object): Promise<string> =>
    clustering.createProfile(spec, name);
  const server = (properties: object): object => ({
    type: 'os.nova.server',
    version: '1.0',
    properties: { flavor: 'm1.xlarge', image: 'cirros', ...properties },
  });
  const ask = (query: string) => world.ask('', 'GET', `/_emulator/capacity/${query}`);
  const count = async (query: string): Promise<Counted> => {
    const reply = await ask(query).expect(200);
    return (reply.body as { capacity: Counted }).capacity;
  };

  it('counts what the servers of the profile need, by id or name', async () => {
    const id = await profile('worker', server({}));
    const counted = await count(`nodes?profile=${id}`);
    const { hosts } = await count('servers?flavor=m1.xlarge&image=cirros');
    expect(counted.hosts).to.deep.equal(hosts);
    expect(counted.summary).to.match(/^\d+ more nodes fit, on 3 of 3 hosts\./);
    expect(await count('nodes?profile=worker')).to.deep.equal(counted);
  });

  it('regards the zone, the server group and a boot volume of the profile', async () => {
    await profile('in-zone', server({ availability_zone: 'az2' }));
    const zoned = await count('nodes?profile=in-zone');
    expect(zoned.hosts.filter((one) => one.count).map(({ name }) => name)).to.have.length(1);
    const group = await world.ask('compute', 'POST', '/compute/v2.1/os-server-groups', {
      version: '2.104',
      body: { server_group: { name: 'apart', policy: 'anti-affinity' } },
    });
    const { id } = (group.body as { server_group: { id: string } }).server_group;
    await profile('apart', server({ scheduler_hints: { group: id } }));
    expect((await count('nodes?profile=apart')).count).to.equal(3);
    const volume = { boot_index: 0, destination_type: 'volume', source_type: 'image', uuid: 'x' };
    await profile(
      'on-volume',
      server({ block_device_mapping_v2: [{ ...volume, volume_size: 1 }] }),
    );
    const onVolume = await count('nodes?profile=on-volume');
    expect(onVolume.count).to.be.at.least((await count('servers?flavor=m1.xlarge')).count);
  });

  it('is a question of what-if', async () => {
    await profile('worker', server({}));
    const body = { changes: [], questions: [{ nodes: { profile: 'worker' } }] };
    const reply = await world.ask('', 'POST', '/_emulator/what-if', { body }).expect(200);
    const { questions } = (
      reply.body as { what_if: { questions: { question: string; before: Counted }[] } }
    ).what_if;
    expect(questions[0]!.question).to.equal('nodes of worker');
    expect(questions[0]!.before.count).to.equal((await count('nodes?profile=worker')).count);
  });

  it('refuses unknown profiles, and those without servers', async () => {
    await ask('nodes?profile=none').expect(404);
    const template = { heat_template_version: '2018-08-31' };
    const stack = { type: 'os.heat.stack', version: '1.0', properties: { template } };
    await profile('stack', stack);
    const reply = await ask('nodes?profile=stack').expect(400);
    expect((reply.body as { error: { message: string } }).error.message).to.equal(
      'Nodes of the type os.heat.stack-1.0 need no host of Compute, so they cannot be counted.',
    );
  });
});
