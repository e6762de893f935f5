// Tests of the usage audit of Nova, which reports the servers of each period when it has ended.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { admin, madeServer, newest } from '../../services/compute/servers/makers.ts';

onEachDatabase('the usage audit of Nova', { auth: 'noauth2', hosts: '1' }, (world) => {
  /** The server, the start and the end of each `instance.exists` that is kept, oldest first. */
  async function reports(): Promise<[id: string, begin: string, end: string][]> {
    const { body } = await world.http
      .get('/_emulator/notifications?event_type=instance.exists')
      .expect(200);
    const kept = (body as { notifications: { payload: Record<string, any> }[] }).notifications;
    return kept.map(({ payload }) => {
      const data = payload['nova_object.data'];
      const period = data.audit_period['nova_object.data'];
      return [data.uuid, period.audit_period_beginning, period.audit_period_ending];
    });
  }
  const set = (settings: object) =>
    world.http.put('/_emulator/compute/settings').send(settings).expect(200);
  const remove = (id: string) =>
    world.ask('compute', 'DELETE', `/compute/v2.1/servers/${id}`, { version: newest }).expect(204);
  const advance = (time: string) =>
    world.http.post('/_emulator/clock/advance').send({ to: time }).expect(200);

  beforeEach(() => world.http.put('/_emulator/notifications').send({ keep: 1000 }).expect(200));

  it('reports nothing by default', async () => {
    await madeServer(world, {}, admin);
    await advance('2027-01-01T00:00:01Z');
    expect(await reports()).to.deep.equal([]);
  });

  it('reports a server after each month in which it existed', async () => {
    await set({ instance_usage_audit: true });
    const { id } = await madeServer(world, {}, admin);
    await advance('2027-01-10T00:00:00Z');
    expect(await reports()).to.deep.equal([
      [id, '2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z'],
      [id, '2026-12-01T00:00:00Z', '2027-01-01T00:00:00Z'],
    ]);
  });

  it('reports a server after each hour, the last time for the hour of its deletion', async () => {
    await set({ instance_usage_audit: true, instance_usage_audit_period: 'hour' });
    await advance('2026-11-20T12:30:00Z');
    const { id } = await madeServer(world, {}, admin);
    await advance('2026-11-20T14:10:00Z');
    await remove(id);
    await advance('2026-11-20T18:00:00Z');
    expect(await reports()).to.deep.equal([
      [id, '2026-11-20T12:00:00Z', '2026-11-20T13:00:00Z'],
      [id, '2026-11-20T13:00:00Z', '2026-11-20T14:00:00Z'],
      [id, '2026-11-20T14:00:00Z', '2026-11-20T15:00:00Z'],
    ]);
  });

  it('skips the hours without servers when the clock moves far', async () => {
    await set({ instance_usage_audit: true, instance_usage_audit_period: 'hour' });
    const { body } = await advance('2027-11-20T12:00:00Z');
    expect((body as { rounds_skipped: number }).rounds_skipped).to.be.above(8000);
    await madeServer(world, {}, admin);
    await advance('2027-11-20T13:00:00Z');
    expect(await reports()).to.have.length(1);
  });

  it('stops when the setting is off again', async () => {
    await set({ instance_usage_audit: true, instance_usage_audit_period: 'day' });
    await madeServer(world, {}, admin);
    await set({ instance_usage_audit: false });
    await advance('2026-11-30T00:00:00Z');
    expect(await reports()).to.deep.equal([]);
  });
});
