// Tests of fault rules with two processes on one MySQL database, which share the rules and their
// counters.
import { expect } from 'chai';
import { onTwoProcesses } from '../../support/processes.ts';

onTwoProcesses('fault rules in two processes', ['--hosts', '0'], (origins) => {
  const json = { 'content-type': 'application/json' };
  const list = async (at: 0 | 1): Promise<number> => {
    const reply = await fetch(`${origins()[at]}/placement/resource_providers`, {
      headers: { 'x-auth-token': 'admin' },
    });
    await reply.arrayBuffer();
    return reply.status;
  };
  const add = async (at: 0 | 1, plan: object): Promise<void> => {
    const body = JSON.stringify({
      match: { service: 'placement' },
      effect: { status: 503 },
      ...plan,
    });
    expect(
      (await fetch(`${origins()[at]}/_emulator/faults`, { method: 'POST', headers: json, body }))
        .status,
    ).to.equal(201);
  };
  const counts = async (at: 0 | 1): Promise<unknown[]> => {
    const { faults } = (await (await fetch(`${origins()[at]}/_emulator/faults`)).json()) as {
      faults: { matched: number; hit: number }[];
    };
    return faults.map(({ matched, hit }) => [matched, hit]);
  };
  const clear = (at: 0 | 1) => fetch(`${origins()[at]}/_emulator/faults`, { method: 'DELETE' });

  afterEach(() => clear(0));

  it('take effect in both when added to one, and stop in both when removed from one', async () => {
    for (const at of [0, 1, 0, 1] as const) {
      const other = at === 0 ? 1 : 0;
      await list(other);
      await add(at, {});
      expect([await list(other), await list(at)]).to.deep.equal([503, 503]);
      await clear(at);
      expect([await list(other), await list(at)]).to.deep.equal([200, 200]);
    }
  });

  it('are gone in both after a reset through one', async () => {
    await add(0, {});
    expect(await list(1)).to.equal(503);
    expect((await fetch(`${origins()[0]}/_emulator/reset`, { method: 'POST' })).status).to.equal(
      204,
    );
    expect([await list(1), await list(0), await counts(1)]).to.deep.equal([200, 200, []]);
  });

  it('affect exactly `count` of concurrent requests to both', async () => {
    await add(0, { skip: 10, count: 25 });
    await add(0, { count: 10 });
    const found = await Promise.all(Array.from({ length: 80 }, (_, at) => list((at % 2) as 0 | 1)));
    expect(found.filter((status) => status === 503)).to.have.length(35);
    expect(found.filter((status) => status === 200)).to.have.length(45);
    // The second rule counts only the requests that the first one lets pass.
    expect(await counts(1)).to.deep.equal([
      [80, 25],
      [55, 10],
    ]);
  });
});
