// GET /_emulator/explain/servers/{id}: why the scheduler finds no host, and why it chose one.
import { expect } from 'chai';
import { noon, onEachDatabase } from '../../../support/cloud.ts';
import { systemContext } from '../../../../src/kernel/context.ts';
import { SerializationFailure } from '../../../../src/kernel/db/errors.ts';
import { transact } from '../../../../src/kernel/db/transaction.ts';
import { conflict } from '../../../../src/kernel/errors.ts';
import {
  findHost,
  requestSpecOf,
} from '../../../../src/services/compute/domain/scheduler/scheduling.ts';
import { findServers } from '../../../../src/services/compute/store/servers/servers.ts';
import { ask, config } from '../support.ts';
import {
  act,
  admin,
  liftQuotas,
  madeGroup,
  madeServer,
  newest,
  postServer,
} from '../servers/makers.ts';

const at = { ...admin, version: newest };

interface Explained {
  readonly outcome: string;
  readonly summary: string;
  readonly text: readonly string[];
  readonly request_id: string;
  readonly details: {
    readonly hosts: number;
    readonly candidates: number;
    readonly placement: { readonly rejected: readonly { readonly causes: unknown[] }[] } | null;
    readonly filters: readonly {
      readonly filter: string;
      readonly passed: number;
      readonly rejected: number;
      readonly hosts: readonly { readonly host: string; readonly why: string }[];
    }[];
    readonly weights: readonly { readonly host: string; readonly weight: number }[];
    readonly lost_claims: readonly { readonly attempt: number; readonly host: string }[];
    readonly selected: string | null;
  };
}

onEachDatabase('compute: explanations of the scheduler', config, (world) => {
  const why = async (id: string): Promise<Explained> => {
    const { body } = await world.ask('', 'GET', `/_emulator/explain/servers/${id}`).expect(200);
    return (body as { explanation: Explained }).explanation;
  };
  const explainAll = (all: boolean) =>
    world.ask('', 'PUT', '/_emulator/explain', { body: { all } }).expect(200);
  const rejecting = ({ details }: Explained) =>
    details.filters.filter(({ rejected }) => rejected).map(({ filter, hosts }) => [filter, hosts]);

  it('names the free amounts if Placement has no candidate', async () => {
    const body = { flavor: { name: 'huge', ram: 64, vcpus: 65, disk: 1 } };
    const { id } = (await ask(world, 'POST', '/flavors', { ...at, body })).body.flavor as {
      id: string;
    };
    await liftQuotas(world);
    const server = await madeServer(world, { flavorRef: id });
    const explained = await why(server.id);
    expect(explained.outcome).to.equal('failure');
    expect(explained.summary).to.include('Placement has no candidate');
    expect(explained.details).to.include({ hosts: 3, candidates: 0, selected: null });
    expect(explained.text.join('\n')).to.match(/compute-1 (?:has 64 of 65|allocates at most) /);
  });

  it('explains a repeated failure by the usage and the names at its time', async () => {
    await liftQuotas(world);
    const flavorOf = async (name: string, vcpus: number): Promise<string> => {
      const body = { flavor: { name, ram: 64, vcpus, disk: 1 } };
      const reply = await ask(world, 'POST', '/flavors', { ...at, body });
      return (reply.body as { flavor: { id: string } }).flavor.id;
    };
    const [single, whole] = [await flavorOf('single', 1), await flavorOf('whole', 64)];
    const held: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      const hints = held.length ? { different_host: held } : {};
      held.push((await madeServer(world, { name, flavorRef: single }, { ...admin, hints })).id);
    }
    const fail = async (): Promise<string> => {
      const { id } = await madeServer(world, { flavorRef: whole });
      return (await why(id)).text.join('\n');
    };
    const first = await fail();
    expect(first).to.match(/compute-1 has 63 of 64 VCPU free .* used 1\)/);
    expect(first).to.match(/free 1 VCPU on compute-1, held by server '[abc]' \(1\)/);
    expect(await fail()).to.equal(first);

    for (const id of held)
      await ask(world, 'PUT', `/servers/${id}`, { ...at, body: { server: { name: 'new' } } });
    expect(await fail()).to.equal(first.replaceAll(/server '[abc]'/g, "server 'new'"));

    await madeServer(world, { flavorRef: single, host: 'compute-1' });
    expect(await fail()).to.match(/compute-1 has 62 of 64 VCPU free .* used 2\)/);
  });

  it('names the filter that rejects each host, and the reason', async () => {
    await explainAll(true);
    const one = await madeServer(world);
    const other = await madeServer(world, {}, { ...admin, hints: { different_host: [one.id] } });
    const host = one['OS-EXT-SRV-ATTR:host'];
    expect(rejecting(await why(other.id))).to.deep.equal([
      ['different host', [{ host, why: `has one of ${one.id} (different_host)` }]],
    ]);
  });

  it('answers right after the request that creates the server', async () => {
    await explainAll(true);
    for (let count = 0; count < 5; count++) {
      const { body } = await postServer(world).expect(202);
      const { server } = body as { server: { id: string } };
      expect((await why(server.id)).outcome).to.equal('success');
    }
  });

  it('names the members of a group that leave no room', async () => {
    const group = await madeGroup(world, 'anti-affinity', { max_server_per_host: 1 });
    const inGroup = (name: string) => madeServer(world, { name }, { ...admin, hints: { group } });
    const members = [];
    for (const name of ['a', 'b', 'c']) members.push(await inGroup(name));
    const fourth = await inGroup('d');
    const explained = await why(fourth.id);
    expect(explained.summary).to.equal(
      "The filter 'anti-affinity' rejects the last 3 hosts: compute-1 has 1 of at most 1 members " +
        'of the server group.',
    );
    const placed = members
      .map(({ name, ...server }) => `${name} on ${String(server['OS-EXT-SRV-ATTR:host'])}`)
      .toSorted((one, other) => (one.slice(5) < other.slice(5) ? -1 : 1));
    expect(explained.text).to.include(`  server group: ${placed.join(', ')}`);
  });

  it('explains each server of a request as if those before it were on their hosts', async () => {
    await explainAll(true);
    const group = await madeGroup(world, 'anti-affinity', { max_server_per_host: 1 });
    const fields = { name: 'many', min_count: 3, max_count: 3 };
    await postServer(world, fields, { ...admin, hints: { group } }).expect(202);
    const hosts: (string | null)[] = [];
    for (const name of ['many-1', 'many-2', 'many-3']) {
      const explained = await why(name);
      expect(explained.details.candidates).to.equal(3);
      const rejected = explained.details.filters.flatMap((filter) => filter.hosts);
      expect(rejected.map(({ host }) => host)).to.have.members(hosts);
      hosts.push(explained.details.selected);
    }
    expect(new Set(hosts)).to.have.length(3);
  });

  it('names the host that an earlier attempt selected, and lost to another request', async () => {
    await explainAll(true);
    const { id } = await madeServer(world);
    const region = world.cloud.firstRegion;
    const selected = await transact(region.database.db, async (db, attempt) => {
      const context = systemContext(world.cloud, region, db, noon, attempt);
      const server = (await findServers(db, [id]))[0]!;
      const ignoredHosts = attempt === 1 ? [] : ['compute-1', 'compute-2'];
      const spec = await requestSpecOf(context, server, { ignoredHosts });
      const { host } = await findHost(context, server, spec);
      if (attempt === 1) throw new SerializationFailure(conflict(`${host} has no room.`));
      return host;
    });
    const { details, text } = await why(id);
    expect(details.lost_claims).to.have.length(1);
    const { attempt, host } = details.lost_claims[0]!;
    expect([attempt, selected]).to.deep.equal([1, 'compute-3']);
    expect(host).to.be.oneOf(['compute-1', 'compute-2', 'compute-3']);
    expect(text[1]).to.equal(
      `  attempt 1 selected ${host}, and lost it to another request, which was faster`,
    );
    expect(details.selected).to.equal(selected);
  });

  it('explains successes only if the cloud explains all decisions', async () => {
    await explainAll(false);
    const silent = await madeServer(world);
    await world.ask('', 'GET', `/_emulator/explain/servers/${silent.id}`).expect(404);
    await explainAll(true);
    const server = await madeServer(world);
    const explained = await why(server.id);
    expect(explained.outcome).to.equal('success');
    const host = server['OS-EXT-SRV-ATTR:host'];
    expect(explained.details.selected).to.equal(host);
    const weights = explained.details.weights.map(({ weight }) => weight);
    expect(weights).to.deep.equal(weights.toSorted((one, other) => other - one));
    expect(explained.details.weights[0]!.host).to.equal(host);
  });

  it('explains a refused resize with the request of the client', async () => {
    const server = await madeServer(world);
    const body = { flavor: { name: 'wide', ram: 64, vcpus: 65, disk: 1 } };
    const { id } = (await ask(world, 'POST', '/flavors', { ...at, body })).body.flavor as {
      id: string;
    };
    await liftQuotas(world);
    await act(world, server.id, { resize: { flavorRef: id } });
    const actions = await ask(world, 'GET', `/servers/${server.id}/os-instance-actions`, at);
    const [last] = actions.body.instanceActions as { action: string; request_id: string }[];
    const explained = await why(server.id);
    expect(explained.outcome).to.equal('failure');
    expect(last).to.include({ action: 'resize', request_id: explained.request_id });
  });
});
