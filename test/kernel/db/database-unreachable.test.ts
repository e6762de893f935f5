// Tests of a MySQL server that becomes unreachable and returns: services reply with 503 in their
// own formats, and the same process works again afterwards.
import { expect } from 'chai';
import supertest from 'supertest';
import { closeCloud, openCloud } from '../../../src/cloud.ts';
import { configOf } from '../../../src/config.ts';
import { dropDatabase, parseDatabaseUrl } from '../../../src/kernel/db/open.ts';
import { serverFor } from '../../../src/kernel/http/server.ts';
import type { Cloud } from '../../../src/kernel/model.ts';
import { databases } from '../../support/databases.ts';
import { openLine, type Line } from '../line.ts';

describe('an unreachable database', function () {
  let line: Line;
  let cloud: Cloud | undefined;

  before(async function () {
    const database = await databases.fresh('mysql');
    if (database?.kind !== 'mysql') return this.skip();
    line = await openLine(Number(database.url.port));
    const url = new URL(database.url);
    url.port = String(line.port);
    url.searchParams.delete('socketPath');
    cloud = await openCloud(
      configOf({ database: parseDatabaseUrl(url.href), logLevel: 'silent', hosts: '0' }),
    );
  });

  after(async () => {
    if (!cloud) return;
    await line.mend();
    await closeCloud(cloud);
    for (const part of ['', 'RegionOne']) await dropDatabase(cloud.config.database, part);
    await line.cut();
  });

  const http = (): ReturnType<typeof supertest> => supertest(serverFor({ cloud: cloud! }));
  const identity = {
    methods: ['password'],
    password: { user: { name: 'admin', password: 'secret', domain: { id: 'default' } } },
  };
  const signIn = () =>
    http()
      .post('/identity/v3/auth/tokens')
      .send({
        auth: { identity, scope: { project: { name: 'admin', domain: { id: 'default' } } } },
      });
  const make = (token: string, name: string) =>
    http()
      .post('/placement/resource_providers')
      .set({ 'x-auth-token': token, 'openstack-api-version': 'placement 1.23' })
      .send({ name });

  it('returns 503 in the format of each service, and recovers', async () => {
    const token = (await signIn().expect(201)).headers['x-subject-token']!;
    await make(token, 'before').expect(200);
    await line.cut();

    const placement = await make(token, 'meanwhile').expect(503);
    expect(placement.body).to.have.nested.property('errors[0].status', 503);
    expect(placement.headers['x-openstack-request-id']).to.match(/^req-/);
    expect((await signIn().expect(503)).body).to.have.nested.property('error.code', 503);
    await http().get('/_emulator/health').expect(200, { status: 'ok' });
    const ready = await http().get('/_emulator/ready').expect(503);
    expect(ready.body).to.deep.equal({
      ready: false,
      databases: { central: false, RegionOne: false },
      catching_up: [],
    });
    expect((await http().get('/_emulator/clock').expect(503)).body).to.have.nested.property(
      'error.code',
      503,
    );
    for (let n = 0; n < 3; n++) await make(token, 'meanwhile').expect(503);

    await line.mend();
    await http().get('/_emulator/ready').expect(200);
    await make(token, 'after').expect(200);
    await signIn().expect(201);
    const { body } = await http()
      .get('/placement/resource_providers')
      .set('x-auth-token', token)
      .expect(200);
    const names = (body as { resource_providers: { name: string }[] }).resource_providers.map(
      ({ name }) => name,
    );
    expect(names).to.deep.equal(['before', 'after']);
  });

  it('returns 503 or 200 for requests in progress, and leaves no partial writes', async () => {
    const token = (await signIn().expect(201)).headers['x-subject-token']!;
    const statuses = Promise.all(
      Array.from({ length: 10 }, async (_, n) => ({
        name: `m${n}`,
        status: (await make(token, `m${n}`)).status,
      })),
    );
    await line.cut();
    for (const { status } of await statuses) expect(status).to.be.oneOf([200, 503]);
    await line.mend();
    const { body } = await http()
      .get('/placement/resource_providers')
      .set('x-auth-token', token)
      .expect(200);
    const found = (body as { resource_providers: { name: string }[] }).resource_providers.map(
      ({ name }) => name,
    );
    for (const { name, status } of await statuses)
      if (status === 200) expect(found).to.include(name);
    await make(token, 'whole').expect(200);
  });
});
