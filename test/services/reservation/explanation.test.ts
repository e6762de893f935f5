// GET /_emulator/explain/leases/{id}: why leases are refused, and what they get.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  ask,
  bootServer,
  config,
  createLease,
  hostReservation,
  instanceReservation,
  leaseBody,
  member,
  network,
  postLease,
  putLease,
  registerHosts,
  updateSettings,
  type Fields,
} from './support.ts';

interface Explained {
  readonly outcome: string;
  readonly subject: string | null;
  readonly name: string;
  readonly summary: string;
  readonly text: readonly string[];
  readonly request_id: string;
  readonly details: Fields;
}

onEachDatabase('reservation: explanations of leases', config, (world) => {
  const why = async (id: string, kind = 'leases'): Promise<Explained> => {
    const path = `/_emulator/explain/${kind}/${encodeURIComponent(id)}`;
    const { body } = await world.ask('', 'GET', path).expect(200);
    return (body as { explanation: Explained }).explanation;
  };
  const refused = async (reservation: Fields): Promise<Explained> => {
    const { status } = await postLease(world, leaseBody([reservation], { name: 'refused' }));
    expect(status).to.be.oneOf([400, 409, 500]);
    return why('refused');
  };
  const causesOf = ({ details }: Explained): unknown =>
    (details['resources'] as Fields[]).map(({ name, causes }) => [
      name,
      (causes as Fields[]).map(({ cause }) => cause as unknown),
    ]);

  it('names the server that holds the resources, and the lease that releases them', async () => {
    await registerHosts(world, 1);
    const lease = await createLease(world, [hostReservation()], {
      name: 'nightly',
      start_date: 'now',
    });
    const [{ id }] = lease['reservations'] as [Fields];
    const server = await bootServer(world, '1', { reservation: id });
    const query = encodeURIComponent('resources=MEMORY_MB:65024');
    const path = `/_emulator/explain/candidates?query=${query}`;
    const { body } = await world.ask('', 'GET', path).expect(200);
    const { text, details } = (body as { explanation: Explained }).explanation;
    expect(text.join('\n')).to.include(
      "  to fit: free 512 MEMORY_MB on compute-1, held by server 's' (512; released by " +
        "lease 'nightly' at 2026-11-20T14:00)",
    );
    const [rejected] = details['rejected'] as { change: { held_by: object[] }[] }[];
    expect(rejected!.change[0]!.held_by).to.deep.equal([
      {
        consumer: server['id'],
        amount: 512,
        name: "server 's'",
        released_by: 'nightly',
        released_at: '2026-11-20T14:00:00.000000Z',
      },
    ]);
  });

  it('names the lease in the way, the next free time and the smallest change', async () => {
    await registerHosts(world, 1);
    const { id } = await createLease(world, [hostReservation()], { name: 'nightly' });
    const explained = await refused(instanceReservation());
    expect(explained).to.include({ outcome: 'failure', subject: null, name: 'refused' });
    expect(explained.text).to.deep.equal([
      "Lease 'refused' is refused: Not enough hosts available.",
      '  1 instance from 2026-11-20T13:00 to 2026-11-20T14:00; 0 instances would fit',
      "    compute-1 is reserved as a whole by lease 'nightly' from 2026-11-20T13:00 " +
        'to 2026-11-20T14:00',
      '  it fits from 2026-11-20T14:00 to 2026-11-20T15:00',
      "  to fit: end lease 'nightly', which releases its resources at 2026-11-20T14:00",
    ]);
    expect(explained.details['changes']).to.deep.equal([
      {
        change: 'end_lease',
        lease_id: id,
        lease_name: 'nightly',
        end_date: '2026-11-20T14:00:00.000000',
        text: "end lease 'nightly', which releases its resources at 2026-11-20T14:00",
      },
    ]);
  });

  it('finds the explanation by the request and by the name of the lease', async () => {
    await registerHosts(world, 1);
    const explained = await refused(hostReservation({ min: 2, max: 2 }));
    expect((await why(explained.request_id, 'requests')).summary).to.equal(explained.summary);
    expect(explained.summary).to.equal("Lease 'refused' is refused: Not enough hosts available.");
    expect(explained.details).to.deep.include({ largest: 1, next: null, changes: null });
  });

  it('counts what is free at the fullest time, and the largest amount that fits', async () => {
    await registerHosts(world, 1);
    await createLease(world, [instanceReservation({ vcpus: 3, amount: 3 })], { name: 'first' });
    const explained = await refused(instanceReservation({ vcpus: 12 }));
    const [host] = explained.details['resources'] as Fields[];
    expect((host!['causes'] as Fields[])[0]).to.deep.include({
      cause: 'full',
      fits: 1,
      at: '2026-11-20T13:00:00.000000',
      text:
        'has 7 of 12 VCPU free at 2026-11-20T13:00; held by ' +
        "lease 'first' from 2026-11-20T13:00 to 2026-11-20T14:00",
    });
    const several = await refused(instanceReservation({ vcpus: 3, amount: 4 }));
    expect(several.details['largest']).to.equal(2);
  });

  it('lists every cause of a host', async () => {
    await registerHosts(world, 2);
    await createLease(world, [hostReservation({ min: 2, max: 2 })], { name: 'all' });
    const properties = '["==", "$hypervisor_hostname", "compute-2"]';
    const explained = await refused(
      instanceReservation({ vcpus: 999, resource_properties: properties }),
    );
    expect(causesOf(explained)).to.deep.equal([
      ['compute-2', ['reserved_whole', 'too_small']],
      ['compute-1', ['requirement_unmet', 'reserved_whole', 'too_small']],
    ]);
  });

  it('states the numbers of the rule that refuses a lease', async () => {
    await updateSettings(world, { max_lease_duration: 1800 });
    await postLease(world, leaseBody([], { name: 'long' })).expect(403);
    const explained = await why('long');
    expect(explained.summary).to.equal(
      "Lease 'long' is refused: it lasts 3600 seconds, and at most 1800 are allowed.",
    );
    expect(explained.details).to.deep.include({
      operation: 'create',
      refused_by: 'max_lease_duration',
      rule: { max_lease_duration: 1800, duration: 3600 },
    });
  });

  it('says what the external service answers', async () => {
    const base = 'http://127.0.0.1:9';
    await updateSettings(world, { external_service: { base_url: base } });
    await postLease(world, leaseBody([], { name: 'denied' })).expect(400);
    expect((await why('denied')).summary).to.equal(
      `Lease 'denied' is refused: the external service at ${base}/check-create does not answer.`,
    );
  });

  it('explains a refused update by the id of the lease', async () => {
    await registerHosts(world, 1);
    const { id } = await createLease(world, [hostReservation()], { name: 'short' });
    const later = { start_date: '2026-11-20 14:00', end_date: '2026-11-20 15:00' };
    await createLease(world, [hostReservation()], { name: 'later', ...later });
    await putLease(world, id as string, { end_date: '2026-11-20 14:30' }).expect(500);
    const explained = await why(id as string);
    expect(explained).to.include({ subject: id, name: 'short' });
    expect(explained.details).to.include({ operation: 'update', refused_by: 'resources' });
    expect(explained.text.at(-1)).to.include("end lease 'later'");
  });

  it('names the floating IPs that are missing or reserved', async () => {
    const outside = { name: 'outside', 'router:external': true };
    const made = await network(world, 'POST', '/networks', { network: outside }).expect(201);
    const networkId = ((made.body as Fields)['network'] as Fields)['id'] as string;
    const subnet = {
      network_id: networkId,
      cidr: '10.9.0.0/24',
      ip_version: 4,
      allocation_pools: [{ start: '10.9.0.2', end: '10.9.0.9' }],
    };
    await network(world, 'POST', '/subnets', { subnet }).expect(201);
    const address = '10.9.0.20';
    const ip = { floating_network_id: networkId, floating_ip_address: address };
    await ask(world, 'POST', '/v1/floatingips', { body: ip }).expect(201);
    const wanted = { resource_type: 'virtual:floatingip', network_id: networkId, amount: 1 };
    await createLease(world, [wanted], { name: 'holder' });
    const explained = await refused({ ...wanted, required_floatingips: ['10.9.9.9'] });
    expect(causesOf(explained)).to.deep.equal([
      ['10.9.9.9', ['unknown_address']],
      [address, ['reserved']],
    ]);
    expect(explained.details).to.deep.include({ largest: 0, changes: null });
  });

  it('explains what a lease gets only if the cloud explains all decisions', async () => {
    await world.ask('', 'PUT', '/_emulator/explain', { body: { all: false } }).expect(200);
    await registerHosts(world, 1);
    await createLease(world, [hostReservation()], { name: 'silent' });
    await world.ask('', 'GET', '/_emulator/explain/leases/silent').expect(404);
    await world.ask('', 'PUT', '/_emulator/explain', { body: { all: true } }).expect(200);
    const later = { start_date: '2026-11-20 14:00', end_date: '2026-11-20 15:00' };
    const { id } = await createLease(world, [hostReservation()], { name: 'told', ...later });
    const explained = await why('told');
    expect(explained).to.include({ subject: id, outcome: 'success' });
    expect(explained.text[1]).to.equal('  physical:host: compute-1 (1)');
  });

  it('hides the leases of others from members who ask what would fit', async () => {
    await registerHosts(world, 1);
    await createLease(world, [hostReservation()], { name: 'secret' });
    const body = {
      reservation: instanceReservation(),
      start_date: '2026-11-20 13:00',
      end_date: '2026-11-20 14:00',
    };
    const reply = await ask(world, 'POST', '/availability/explain', { ...member, body }).expect(
      200,
    );
    expect(reply.text).not.to.include('secret').and.not.to.include('compute-1');
    const { next, largest } = (reply.body as Fields)['explanation'] as Fields;
    expect([next, largest]).to.deep.equal([
      { start_date: '2026-11-20T14:00:00.000000', end_date: '2026-11-20T15:00:00.000000' },
      0,
    ]);
  });
});
