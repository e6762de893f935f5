// Tests of a project's own preference for its new volumes. The gateway's tests have its effect.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import type { Asked } from '../../support/cloud.ts';
import { asker, makePod, regions, type Ask, type Fields } from './support.ts';

const alice: Asked = { token: 'alice:acme', headers: { 'x-roles': 'member,reader' } };
const reader: Asked = { token: 'rita:acme', headers: { 'x-roles': 'reader' } };
const bob: Asked = { token: 'bob:bolts', headers: { 'x-roles': 'member,reader' } };
const path = '/volume-placement';

onEachDatabase('the volume placement of a project', { auth: 'noauth2', regions }, (world) => {
  let ask: Ask;
  beforeEach(() => {
    ask = asker(world);
  });

  const put = (localToInstance: unknown, asked = alice) =>
    ask('PUT', path, { volume_placement: { local_to_instance: localToInstance } }, asked);
  const shown = async (asked = alice): Promise<Fields> =>
    ((await ask('GET', path, undefined, asked).expect(200)).body as Fields)[
      'volume_placement'
    ] as Fields;
  const routeServer = async (id: string, project: string): Promise<void> => {
    const pod = await makePod(ask, { region_name: 'RegionOne', az_name: 'az1' });
    const server = { top_id: id, bottom_id: id, project_id: project, resource_type: 'server' };
    const now = 1;
    await world.cloud.central
      .db('tricircle_routings')
      .insert({ ...server, pod_id: pod['pod_id'] as string, created_at: now });
  };

  it('is the pod of the binding at first', async () => {
    expect(await shown()).to.deep.equal({ project_id: 'acme', local_to_instance: null });
  });

  it('is set by a member for its own project only', async () => {
    await routeServer('server-1', 'acme');
    const { body } = await put('server-1').expect(200);
    const expected = { project_id: 'acme', local_to_instance: 'server-1' };
    expect(body).to.deep.equal({ volume_placement: expected });
    expect(await shown(reader)).to.deep.equal(expected);
    expect(await shown(bob)).to.deep.equal({ project_id: 'bolts', local_to_instance: null });
    await put('latest').expect(200);
    expect(await shown()).to.include({ local_to_instance: 'latest' });
    await put(null).expect(200);
    expect(await shown()).to.include({ local_to_instance: null });
  });

  it('returns 403 for a change by a reader', async () => {
    const { body } = await put('latest', reader).expect(403);
    expect(body).to.deep.equal({
      forbidden: { message: 'Unauthorized to update the volume placement', code: 403 },
    });
  });

  it("returns 400 for an unknown server, and for another project's", async () => {
    await routeServer('server-1', 'acme');
    for (const id of ['server-1', 'server-2']) {
      const { body } = await put(id, bob).expect(400);
      expect(body).to.deep.equal({
        badRequest: { message: `Server ${id} could not be found`, code: 400 },
      });
    }
  });

  it('returns 400 for a body without a valid local_to_instance', async () => {
    for (const value of [undefined, '', 1, {}, 'x'.repeat(128)]) await put(value).expect(400);
    await ask('PUT', path, {}, alice).expect(400);
  });
});
