// Tests of a MySQL server that stops responding: every request gets a reply, and work continues
// when the server does.
import { expect } from 'chai';
import supertest from 'supertest';
import { closeCloud, openCloud } from '../../../src/cloud.ts';
import { configOf } from '../../../src/config.ts';
import { parseDatabaseUrl } from '../../../src/kernel/db/open.ts';
import { serverFor } from '../../../src/kernel/http/server.ts';
import type { Cloud } from '../../../src/kernel/model.ts';
import { startOwnMysql, type TestMysql } from '../../support/mysql.ts';

describe('a database that stops responding', function () {
  let mysql: TestMysql | undefined;
  let cloud: Cloud | undefined;

  before(async function () {
    mysql = process.env['CUMULET_TEST_DATABASE'] === 'none' ? undefined : await startOwnMysql();
    if (!mysql) return this.skip();
    const database = parseDatabaseUrl(`${mysql.url}/frozen?patience=0.3&pool=4`);
    cloud = await openCloud(
      configOf({ database, auth: 'noauth2', logLevel: 'silent', hosts: '0' }),
    );
  });

  after(async () => {
    if (cloud) await closeCloud(cloud);
    await mysql?.stop();
  });

  const createProvider = (name: string) =>
    supertest(serverFor({ cloud: cloud! }))
      .post('/placement/resource_providers')
      .set({ 'x-auth-token': 'admin', 'openstack-api-version': 'placement 1.23' })
      .send({ name });

  it('returns 503 to more requests than connections, and recovers', async () => {
    await createProvider('before').expect(200);
    process.kill(mysql!.pid!, 'SIGSTOP');
    try {
      const answers = await Promise.all(
        Array.from({ length: 9 }, (_, number) => createProvider(`meanwhile-${number}`)),
      );
      expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 503));
      const details = answers.map(
        ({ body }) => (body as { errors: { detail: string }[] }).errors[0]!.detail,
      );
      expect(details[0]).to.include('The database does not answer.');
    } finally {
      process.kill(mysql!.pid!, 'SIGCONT');
    }
    await createProvider('after').expect(200);
  });

  it('does not interrupt a statement that waits for a lock', async () => {
    await createProvider('held').expect(200);
    const { db } = cloud!.firstRegion.database;
    const blocking = await db.transaction();
    await blocking('placement_providers').where({ name: 'held' }).update({ updated_at: 1 });
    // Longer than the time that the server may take to greet a client, although connection and
    // server are fine.
    const waiting = db('placement_providers')
      .where({ name: 'held' })
      .update({ updated_at: 2 })
      .then((changed) => changed);
    await db.raw('SELECT SLEEP(1)');
    await blocking.commit();
    expect(await waiting).to.equal(1);
  });
});
