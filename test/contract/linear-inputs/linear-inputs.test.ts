// Sends every list and every map of every request body with n and with 4n elements. Whether the
// service accepts or refuses them, four times the elements must not cost sixteen times as much.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { isObject, type JsonObject } from '../../../src/kernel/json.ts';
import { project } from '../../../src/kernel/contract/projection.ts';
import type { Route, Service } from '../../../src/kernel/model.ts';
import { onDatabase, type World } from '../../support/cloud.ts';
import { rawClient, type Client } from '../../support/raw.ts';
import { fill, sampled, type Samples } from '../samples/index.ts';
import { growthsOf, type Growth } from './growth.ts';

const small = 250;
const large = 4 * small;

/** A quadratic cost grows by 16. The rest is for what a processor does beside. */
const maxRatio = 9;
/** Costs below this are noise; milliseconds of processor time. */
const leastCost = 40;

interface Cost {
  readonly processor: number;
  readonly statements: number;
}

for (const { service: name, config, prepare } of sampled)
  onDatabase('sqlite', `Inputs of ${name}`, config, (world) => {
    it('cost in proportion to the number of their elements', async () => {
      const client = rawClient(world.server);
      const { token, samples } = await prepare(client);
      const service = world.cloud.services.find(({ definition }) => definition.name === name)!;
      const problems: string[] = [];
      for (const { route, at, schema } of writesOf(service)) {
        const id = service.contract.operation(route.method, route.path, at).id;
        const { body } = await samples[id]!(at.name);
        if (body === undefined) continue;
        for (const growth of growthsOf(schema, body as JsonObject)) {
          const ask = sender(world, client, {
            service,
            route,
            version: at.name,
            token,
            samples,
            id,
          });
          const problem = await findExcess(ask, growth);
          if (problem) problems.push(`${id} with many ${growth.name}: ${problem}`);
        }
      }
      client.close();
      expect(problems.join('\n')).to.equal('');
    });
  });

/** The routes with a body, at the newest version that has them, and the schema of the body. */
function writesOf({ definition, contract }: Service) {
  return definition.routes.flatMap((route) => {
    const at = definition.versions.find(route.span?.[1] ?? definition.versions.max.name)!;
    const node = contract.nodeOf(route.method, route.path);
    const plain = node && project(contract.load(), node, at.name);
    const body = isObject(plain) ? plain['requestBody'] : undefined;
    const content = isObject(body) ? body['content'] : undefined;
    const [media] = isObject(content) ? Object.values(content) : [];
    const schema = isObject(media) ? media['schema'] : undefined;
    return isObject(schema) ? [{ route, at, schema }] : [];
  });
}

interface Target {
  readonly service: Service;
  readonly route: Route;
  readonly version: string;
  readonly token: string | null;
  readonly samples: Samples;
  readonly id: string;
}

/** Sends a body to a new sample of the operation. @returns what the request cost */
const sender =
  (world: World, client: Client, { service, route, version, token, samples, id }: Target) =>
  async (body: unknown): Promise<Cost> => {
    const { definition } = service;
    const sample = await samples[id]!(version);
    const headers = {
      'content-type': 'application/json',
      ...(token === null ? {} : { 'x-auth-token': token }),
      ...(definition.versions.list.length > 1
        ? { 'openstack-api-version': `${definition.name} ${version}` }
        : {}),
      ...sample.headers,
    };
    const url = definition.prefix + fill(route.path, sample.params);
    const text = JSON.stringify(body);
    const databases = [world.cloud.central, world.cloud.firstRegion.database];
    let statements = 0;
    const count = (): void => void (statements += 1);
    for (const { db } of databases) db.on('query', count);
    const before = process.cpuUsage();
    const { status } = await client.send(route.method, url, headers, text);
    const { user, system } = process.cpuUsage(before);
    for (const { db } of databases) db.removeListener('query', count);
    expect(status, `${id} with ${text.length} bytes`).to.not.equal(500);
    return { processor: (user + system) / 1000, statements };
  };

/** Keeps a collection of all that earlier tests left behind from falling into a measurement. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc()');
}

/** Says by how much the larger body costs too much; undefined if it does not. */
async function findExcess(
  ask: (body: unknown) => Promise<Cost>,
  growth: Growth,
): Promise<string | undefined> {
  let excess: string | undefined;
  for (let attempt = 0; attempt < 3; attempt++) {
    if (attempt > 0) collectGarbage();
    const few = await ask(growth.bodyWith(small));
    const many = await ask(growth.bodyWith(large));
    const ratio = many.processor / Math.max(few.processor, leastCost / 4);
    const isSlow = many.processor > leastCost && ratio > maxRatio;
    const isChatty = many.statements > maxRatio * Math.max(few.statements, 20);
    if (!isSlow && !isChatty) return undefined;
    excess =
      `${few.processor.toFixed(0)} ms and ${few.statements} statements for ${small}, ` +
      `${many.processor.toFixed(0)} ms and ${many.statements} statements for ${large}`;
  }
  return excess;
}
