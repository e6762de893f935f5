// Tests of the failure scenarios: every one can be added, and some are met as a client meets them.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { faultScenarios } from '../../../src/emulator/fault-injection/scenarios.ts';

describe('failure scenarios', () => {
  it('are at least twenty, sorted by name, each with a sentence', () => {
    const names = faultScenarios.map(({ name }) => name);
    expect(names).to.have.length.greaterThan(19);
    expect(names).to.deep.equal(names.toSorted());
    for (const { description } of faultScenarios) expect(description).to.match(/^[A-Z].{20,}\.$/);
  });
});

onEachDatabase('/_emulator/fault-scenarios', {}, (world) => {
  const add = (name: string) => world.http.post(`/_emulator/fault-scenarios/${name}`);

  it('lists all scenarios with their rules', async () => {
    const { body } = await world.http.get('/_emulator/fault-scenarios').expect(200);
    expect(body).to.deep.equal({ scenarios: faultScenarios });
  });

  it('adds the rules of every scenario, in order', async () => {
    for (const { name, rules } of faultScenarios) {
      const { body } = await add(name).expect(201);
      const added = (body as { faults: { match: object; effect: object }[] }).faults;
      expect(
        added.map(({ match, effect }) => ({ match, effect })),
        name,
      ).to.deep.equal(rules.map(({ match, effect }) => ({ match, effect })));
    }
  });

  it('returns 404 with the names of all scenarios for an unknown one, and adds nothing', async () => {
    const { body } = await add('sunshine').expect(404);
    expect((body as { error: { message: string } }).error.message).to.match(
      /^There is no scenario 'sunshine'\. Scenarios: cinder-down, flaky-network, /,
    );
    const { body: list } = await world.http.get('/_emulator/faults');
    expect(list).to.deep.equal({ faults: [] });
  });

  it('neutron-down makes Network fail, and nothing else', async () => {
    await add('neutron-down').expect(201);
    await world.http
      .get('/network/v2.0/networks')
      .set('x-auth-token', await token())
      .expect(503);
    await world.http
      .get('/image/v2/images')
      .set('x-auth-token', await token())
      .expect(200);
  });

  it('keystone-down refuses requests for tokens', async () => {
    await add('keystone-down').expect(201);
    await signIn().expect(503);
  });

  const signIn = () =>
    world.http.post('/identity/v3/auth/tokens').send({
      auth: {
        identity: {
          methods: ['password'],
          password: { user: { name: 'admin', domain: { id: 'default' }, password: 'secret' } },
        },
        scope: { project: { name: 'admin', domain: { id: 'default' } } },
      },
    });
  const token = async (): Promise<string> =>
    String((await signIn().expect(201)).headers['x-subject-token']);
});
