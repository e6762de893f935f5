// Explanations of two processes that share a MySQL database: each shows what the other one decided.
import { expect } from 'chai';
import supertest from 'supertest';
import { onTwoProcesses } from '../../support/processes.ts';

interface Kept {
  readonly name: string;
  readonly request_id: string;
  readonly summary: string;
}

onTwoProcesses('explanations [two processes on mysql]', ['--hosts', '1'], (origins) => {
  const send = (process: 0 | 1, method: 'get' | 'post' | 'put', path: string) =>
    supertest(origins()[process])[method](path).set('x-auth-token', 'admin');

  const reservation = {
    resource_type: 'physical:host',
    min: 2,
    max: 2,
    hypervisor_properties: '',
    resource_properties: '',
  };
  const lease = (process: 0 | 1, name: string) =>
    send(process, 'post', '/reservation/v1/leases').send({
      name,
      start_date: '2099-11-20 13:00',
      end_date: '2099-11-20 14:00',
      reservations: [reservation],
      events: [],
    });

  /** The reply of the process that has not decided waits for the writer of the other one. */
  async function explained(process: 0 | 1, name: string): Promise<Kept> {
    await send(process === 0 ? 1 : 0, 'get', '/_emulator/explain').expect(200);
    const { body } = await send(process, 'get', `/_emulator/explain/leases/${name}`).expect(200);
    return (body as { explanation: Kept }).explanation;
  }

  it('keeps what both decide at the same time', async () => {
    const names: string[] = [];
    const decide = async (process: 0 | 1): Promise<void> => {
      for (let number = 0; number < 5; number++) {
        const name = `lease-${process}-${number}`;
        names.push(name);
        expect((await lease(process, name)).status).to.equal(500);
      }
    };
    await Promise.all([decide(0), decide(1)]);
    for (const process of [0, 1] as const)
      for (const name of names) {
        const { summary } = await explained(process, name);
        expect(summary).to.equal(`Lease '${name}' is refused: Not enough hosts available.`);
      }
  });

  it('explains all decisions in both after a request to one', async () => {
    await send(0, 'put', '/_emulator/explain').send({ all: true }).expect(200);
    const { body } = await send(1, 'get', '/_emulator/explain').expect(200);
    expect(body).to.have.property('all', true);
  });
});
