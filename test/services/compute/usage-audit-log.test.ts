// Tests of the usage audit log, whose audits never run.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { admin, newest } from './servers/makers.ts';
import { ask, config, expectFault } from './support.ts';

onEachDatabase('compute: usage audits', config, (world) => {
  const get = (path: string, version = '2.42') => ask(world, 'GET', path, { ...admin, version });

  describe('GET /os-instance_usage_audit_log', () => {
    const path = '/os-instance_usage_audit_log';

    it('reports that no audit has run for the last month', async () => {
      expect((await get(path, newest)).body.instance_usage_audit_logs).to.deep.equal({
        period_beginning: '2026-10-01 00:00:00',
        period_ending: '2026-11-01 00:00:00',
        num_hosts: 0,
        num_hosts_done: 0,
        num_hosts_running: 0,
        num_hosts_not_run: 0,
        hosts_not_run: [],
        total_instances: 0,
        total_errors: 0,
        overall_status: 'ALL hosts done. 0 errors.',
        log: {},
      });
    });

    it('reports the last month that ended before a given time', async () => {
      const ends = async (moment: string): Promise<string> =>
        (
          (await get(`${path}/${encodeURIComponent(moment)}`, newest)).body
            .instance_usage_audit_log as { period_ending: string }
        ).period_ending;
      expect(await ends('2026-01-02 00:00:00')).to.equal('2026-01-01 00:00:00');
      expect(await ends('2026-03-01 00:00:00')).to.equal('2026-02-01 00:00:00');
      expect(await ends('2026-03-01 00:00:00.000001')).to.equal('2026-03-01 00:00:00');
      expect(await ends('2026-1-1 0:0:0')).to.equal('2025-12-01 00:00:00');
    });

    it('returns 400 for an invalid time', async () => {
      for (const moment of [
        'x',
        '2026-02-30 00:00:00',
        '2026-11-20T12:00:00',
        '2026-11-20 12:00:00.',
        '2026-11-20 12:00',
      ])
        expectFault(
          await get(`${path}/${encodeURIComponent(moment)}`),
          400,
          `Invalid timestamp for date ${moment}`,
        );
    });
  });
});
