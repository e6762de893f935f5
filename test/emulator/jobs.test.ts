// Tests of /_emulator/jobs, and of jobs that are set aside because they cannot run.
import { expect } from 'chai';
import { noon, onEachDatabase } from '../support/cloud.ts';
import { schedule } from '../../src/kernel/jobs/queue.ts';
import { SECOND } from '../../src/kernel/clock.ts';

interface Listed {
  readonly id: string;
  readonly region: string | null;
  readonly kind: string;
  readonly subject: string;
  readonly state: string;
  readonly failures: number;
  readonly error: string | null;
}

const options = {
  regions: ['RegionOne', 'RegionTwo'],
  centralRegion: 'CentralRegion',
  auth: 'noauth2',
} as const;

onEachDatabase('/_emulator/jobs', options, (world) => {
  const list = async (query = ''): Promise<Listed[]> =>
    ((await world.http.get(`/_emulator/jobs${query}`).expect(200)).body as { jobs: Listed[] }).jobs;
  const servers = (region = '') =>
    world.ask('compute', 'GET', `${region}/compute/v2.1/servers`).expect(200);
  const dbOf = (region = 'RegionOne') => world.cloud.regions.get(region)!.database.db;

  /** Inserts a row, which may be broken, into the queue of a region. */
  const insert = async (row: object, region = 'RegionOne'): Promise<void> => {
    await dbOf(region)('jobs').insert({
      due_at: noon,
      kind: 'reservation.end_lease',
      subject: 'lease',
      payload: 'null',
      ...row,
    });
    world.cloud.regions.get(region)!.jobs.wake();
  };

  describe('jobs that cannot run', () => {
    const broken = [
      ['with a payload that is no JSON', { payload: '{"broken' }, /^Its payload is not JSON: /],
      [
        'of an unknown kind',
        { kind: 'gone.away' },
        /^No service handles jobs of the kind gone\.away\.$/,
      ],
    ] as const;
    for (const [title, row, reason] of broken)
      it(`${title} are set aside, and block no others`, async () => {
        await insert(row);
        await insert({ subject: 'none' }); // a lease that does not exist: it does nothing
        await servers();
        const [job, ...others] = await list();
        expect(others).to.deep.equal([]);
        expect(job).to.include({ state: 'set_aside', failures: 1, region: 'RegionOne' });
        expect(job!.error).to.match(reason);
      });

    it('with a payload of another shape are set aside after some attempts', async () => {
      await insert({ kind: 'compute.server_build', payload: '7' });
      await servers();
      for (let failures = 1; failures < 5; failures++) {
        expect((await list())[0]).to.include({ state: 'pending', failures, error: null });
        await world.http.post('/_emulator/clock/advance').send({ seconds: 1 }).expect(200);
      }
      const [job] = await list();
      expect(job).to.include({ state: 'set_aside', failures: 5 });
      expect(job!.error).to.match(/\w/);
    });

    it('are counted in the reply to a move of the clock', async () => {
      await insert({ due_at: noon + SECOND, kind: 'gone.away' });
      const { body } = await world.http
        .post('/_emulator/clock/advance')
        .send({ minutes: 1 })
        .expect(200);
      expect(body).to.include({ jobs_run: 0, rounds_skipped: 0, jobs_set_aside: 1 });
    });
  });

  describe('GET /_emulator/jobs', () => {
    beforeEach(async () => {
      const job = (minutes: number, kind: string, subject: string) => ({
        dueAt: noon + minutes * 60 * SECOND,
        kind,
        subject,
      });
      await schedule(dbOf(), job(2, 'reservation.end_lease', 'b'));
      await schedule(dbOf(), job(1, 'reservation.start_lease', 'a'));
      await schedule(dbOf('RegionTwo'), job(3, 'compute.purge', 'c'));
      await schedule(world.cloud.central.db, job(4, 'tricircle.start_job', 'd'));
      await insert({ kind: 'gone.away', subject: 'e' });
      await servers();
    });

    const filters: readonly (readonly [query: string, subjects: string])[] = [
      ['', 'eabcd'],
      ['?region=RegionOne', 'eab'],
      ['?region=central', 'd'],
      ['?service=reservation', 'ab'],
      ['?service=reserv%25', ''],
      ['?kind=compute.purge', 'c'],
      ['?state=set_aside', 'e'],
      ['?state=pending', 'abcd'],
      ['?state=running', ''],
      ['?limit=2', 'ea'],
    ];
    for (const [query, subjects] of filters)
      it(`lists ${subjects || 'nothing'} for '${query}'`, async () => {
        expect((await list(query)).map(({ subject }) => subject).join('')).to.equal(subjects);
      });

    it('returns 400 for an unknown region, state or limit', async () => {
      for (const query of ['region=Mars', 'state=lost', 'limit=0', 'limit=1001', 'limit=x'])
        await world.http.get(`/_emulator/jobs?${query}`).expect(400);
    });
  });

  describe('POST /_emulator/jobs/{id}/retry', () => {
    it('lets a job run that was set aside', async () => {
      await insert({ payload: '{"broken' });
      await servers();
      const [job] = await list();
      await dbOf()('jobs').update({ payload: 'null' });
      const { body } = await world.http.post(`/_emulator/jobs/${job!.id}/retry`).expect(200);
      expect((body as { job: Listed }).job).to.include({ state: 'pending', error: null });
      await servers();
      expect(await list()).to.deep.equal([]);
    });

    it('returns 409 for a job that is not set aside, and 404 for an unknown one', async () => {
      await insert({ due_at: noon + SECOND });
      const [job] = await list();
      await world.http.post(`/_emulator/jobs/${job!.id}/retry`).expect(409);
      for (const id of ['RegionOne-999999', 'central-1', 'Mars-1', '1', 'x', '%2f'])
        await world.http.post(`/_emulator/jobs/${id}/retry`).expect(404);
    });
  });

  describe('DELETE /_emulator/jobs/{id}', () => {
    it('deletes a job that was set aside, and one that waits', async () => {
      await insert({ kind: 'gone.away' });
      await insert({ due_at: noon + SECOND });
      await servers();
      for (const { id } of await list())
        await world.http.delete(`/_emulator/jobs/${id}`).expect(204);
      expect(await list()).to.deep.equal([]);
    });

    it('returns 409 for a job that runs, and 404 for an unknown one', async () => {
      await insert({ due_at: noon + SECOND, claimed_at: noon });
      const [job] = await list();
      expect(job).to.include({ state: 'running' });
      await world.http.delete(`/_emulator/jobs/${job!.id}`).expect(409);
      await world.http.delete('/_emulator/jobs/RegionOne-999999').expect(404);
    });
  });
});
