// Requests of and about throw-away projects at the same time, through two processes on one MySQL.
import { expect } from 'chai';
import { cirrosId } from '../../../src/services/image/index.ts';
import { onTwoProcesses } from '../../support/processes.ts';
import type { Project } from './support.ts';

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

onTwoProcesses(
  'throw-away projects through two processes',
  ['--auth', 'keystone', '--hosts', '1'],
  (origins) => {
    const ask = async (
      index: number,
      method: string,
      path: string,
      body?: object,
      token?: string,
    ): Promise<Answer> => {
      const reply = await fetch(`${origins()[index % 2]}${path}`, {
        method,
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          'openstack-api-version': 'compute 2.90',
          connection: 'close',
          ...(token ? { 'x-auth-token': token } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      const text = await reply.text();
      return { status: reply.status, body: text ? JSON.parse(text) : undefined };
    };

    const create = async (name?: string): Promise<Project> => {
      const { status, body } = await ask(0, 'POST', '/_emulator/projects', name ? { name } : {});
      expect(status, JSON.stringify(body)).to.equal(201);
      return (body as { project: Project }).project;
    };

    /** The rows of all databases that contain one of the texts. */
    const rowsWith = async (texts: readonly string[]): Promise<string[]> => {
      const reply = await fetch(`${origins()[0]}/_emulator/export`);
      const lines = (await reply.text()).split('\n');
      return lines.filter((line) => texts.some((text) => line.includes(text)));
    };

    /** What the user of a project creates, one request after the other, until one is refused. */
    async function work(index: number, { id, token, networks }: Project): Promise<number[]> {
      const statuses: number[] = [];
      const image = { name: 'i', disk_format: 'raw', container_format: 'bare' };
      const server = { name: 's', flavorRef: '42', imageRef: cirrosId };
      const requests: readonly [string, object][] = [
        ['/network/v2.0/networks', { network: { name: 'n' } }],
        ['/compute/v2.1/servers', { server: { ...server, networks: 'none' } }],
        [`/volume/v3/${id}/volumes`, { volume: { size: 1 } }],
        ['/image/v2/images', image],
        ['/network/v2.0/ports', { port: { network_id: networks[0]!.network_id } }],
        ['/network/v2.0/security-groups', { security_group: { name: 'g' } }],
        ['/compute/v2.1/os-server-groups', { server_group: { name: 'g', policy: 'affinity' } }],
      ];
      for (let round = index; ; round++) {
        const [path, body] = requests[round % requests.length]!;
        const { status } = await ask(index, 'POST', path, body, token);
        statuses.push(status);
        if (status === 401) return statuses;
      }
    }

    it('leave nothing if they are deleted while their users create resources', async () => {
      for (let round = 0; round < 6; round++) {
        const project = await create();
        const working = Array.from({ length: 6 }, (_, index) => work(index, project));
        await ask(0, 'GET', '/compute/v2.1/servers', undefined, project.token);
        const removed = await ask(round, 'DELETE', `/_emulator/projects/${project.id}`);
        expect(removed.status, JSON.stringify(removed.body)).to.equal(200);
        const statuses = (await Promise.all(working)).flat();
        expect(statuses.filter((status) => status >= 500)).to.deep.equal([]);
        expect(await rowsWith([project.id, project.user_id, project.domain_id])).to.deep.equal([]);
      }
    });

    it('are deleted once by several requests', async () => {
      for (let round = 0; round < 5; round++) {
        const project = await create();
        const path = `/_emulator/projects/${project.id}`;
        const answers = await Promise.all([0, 1, 2, 3].map((index) => ask(index, 'DELETE', path)));
        for (const { status, body } of answers)
          expect(status, JSON.stringify(body)).to.be.oneOf([200, 404]);
        expect(answers.map(({ status }) => status)).to.include(200);
        expect(await rowsWith([project.id, project.user_id, project.domain_id])).to.deep.equal([]);
      }
    });

    it('of one name are created once', async () => {
      for (let round = 0; round < 5; round++) {
        const name = `same-${round}`;
        const answers = await Promise.all(
          [0, 1, 2, 3].map((index) => ask(index, 'POST', '/_emulator/projects', { name })),
        );
        const statuses = answers.map(({ status }) => status).toSorted();
        expect(statuses, JSON.stringify(answers.map(({ body }) => body))).to.deep.equal([
          201, 409, 409, 409,
        ]);
      }
    });
  },
);
