// Small makers of what the tests of Placement need, and the one way in which they look at a
// refusal.
import { expect } from 'chai';
import type supertest from 'supertest';
import type { Asked, World } from '../../support/cloud.ts';

export const newest = '1.39';

/** The UUID of the provider, consumer or aggregate with that number. */
export const provider = (number: number): string =>
  `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
export const consumer = (number: number): string =>
  `cccccccc-0000-4000-8000-${String(number).padStart(12, '0')}`;
export const aggregate = (number: number): string =>
  `aaaaaaaa-0000-4000-8000-${String(number).padStart(12, '0')}`;

/**
 * A request as `ask('PUT /traits/CUSTOM_X', '1.39', { body })`; without a version it bears none.
 */
export type Ask = (line: string, version?: string, rest?: Omit<Asked, 'version'>) => supertest.Test;

export function asking(world: World): Ask {
  return (line, version, rest = {}) => {
    const [method = 'GET', path = '/'] = line.split(/ (.*)/s);
    return world.ask('placement', method, `/placement${path}`, {
      ...rest,
      ...(version ? { version } : {}),
    });
  };
}

type Amounts = Readonly<Record<string, number>>;

/** What a test wants a provider to be. Inventories are bodies, or just totals. */
export interface Wanted {
  readonly name?: string;
  readonly parent?: string;
  readonly has?: Readonly<Record<string, number | Readonly<Record<string, number>>>>;
  readonly traits?: readonly string[];
  readonly aggregates?: readonly string[];
}

async function generationOf(ask: Ask, uuid: string): Promise<number> {
  return ((await ask(`GET /resource_providers/${uuid}`).expect(200)).body as { generation: number })
    .generation;
}

/**
 * Makes a provider with all that hangs on it, and gives its UUID back. Custom traits and classes
 * are made where they are named.
 */
export async function makeProvider(ask: Ask, uuid: string, wanted: Wanted = {}): Promise<string> {
  const { name = `provider ${uuid}`, parent, has, traits, aggregates } = wanted;
  const body = { name, uuid, ...(parent === undefined ? {} : { parent_provider_uuid: parent }) };
  await ask('POST /resource_providers', newest, { body }).expect(200);
  if (has) await setInventories(ask, uuid, has);
  for (const trait of traits ?? [])
    if (trait.startsWith('CUSTOM_')) await ask(`PUT /traits/${trait}`, newest);
  if (traits) {
    const trait = { traits, resource_provider_generation: await generationOf(ask, uuid) };
    await ask(`PUT /resource_providers/${uuid}/traits`, newest, { body: trait }).expect(200);
  }
  if (aggregates)
    await ask(`PUT /resource_providers/${uuid}/aggregates`, '1.18', { body: aggregates }).expect(
      200,
    );
  return uuid;
}

/** Makes the inventories of a provider exactly these. */
export async function setInventories(
  ask: Ask,
  uuid: string,
  has: NonNullable<Wanted['has']>,
): Promise<void> {
  for (const name of Object.keys(has))
    if (name.startsWith('CUSTOM_')) await ask(`PUT /resource_classes/${name}`, newest);
  const inventories = Object.fromEntries(
    Object.entries(has).map(([name, fields]) => [
      name,
      typeof fields === 'number' ? { total: fields } : fields,
    ]),
  );
  const body = { resource_provider_generation: await generationOf(ask, uuid), inventories };
  await ask(`PUT /resource_providers/${uuid}/inventories`, newest, { body }).expect(200);
}

/** The body of an allocation as 1.12 and newer have it. */
export function allocationBody(
  uses: Readonly<Record<string, Amounts>>,
  rest: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const allocations = Object.fromEntries(
    Object.entries(uses).map(([uuid, resources]) => [uuid, { resources }]),
  );
  return { allocations, project_id: 'project', user_id: 'user', ...rest };
}

/** The same with what 1.38 adds: the generation (null for a new consumer) and the type. */
export function claimBody(
  uses: Readonly<Record<string, Amounts>>,
  rest: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return allocationBody(uses, { consumer_generation: null, consumer_type: 'INSTANCE', ...rest });
}

/** Writes what a consumer uses; a new consumer, unless `rest` says its generation. */
export async function claim(
  ask: Ask,
  uuid: string,
  uses: Readonly<Record<string, Amounts>>,
  rest: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await ask(`PUT /allocations/${uuid}`, newest, { body: claimBody(uses, rest) }).expect(204);
}

const sentences: Readonly<Record<number, string>> = {
  400: 'The server could not comply with the request since it is either malformed or otherwise incorrect.',
  403: 'Access was denied to this resource.',
  404: 'The resource could not be found.',
  409: 'There was a conflict when trying to complete your request.',
};

const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  409: 'Conflict',
  415: 'Unsupported Media Type',
};

interface Refusal {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly code?: string;
  readonly request_id: string;
}

/** The one error of a refusal, whose envelope and headers are as they always are. */
export function refusalOf(response: supertest.Response, status: number): Refusal {
  expect(response.status, response.text).to.equal(status);
  expect(response.headers['content-type']).to.equal('application/json');
  expect(response.headers).to.not.have.any.keys('last-modified', 'cache-control', 'etag');
  const { errors } = response.body as { errors: Refusal[] };
  expect(errors).to.have.length(1);
  expect(errors[0]).to.include({
    status,
    title: titles[status],
    request_id: response.headers['x-openstack-request-id'],
  });
  return errors[0]!;
}

/** Expects a refusal with that message, told as WebOb tells it, and with its code from 1.23 on. */
export function expectRefusal(
  response: supertest.Response,
  status: number,
  message: string | RegExp,
  code = 'placement.undefined_code',
): void {
  const { detail, code: told } = refusalOf(response, status);
  const before = `${sentences[status]}\n\n `;
  expect(detail.startsWith(before) && detail.endsWith('  '), JSON.stringify(detail)).to.equal(true);
  const said = detail.slice(before.length, -2);
  if (typeof message === 'string') expect(said).to.equal(message);
  else expect(said).to.match(message);
  const minor = Number(
    /^placement 1\.(\d+)$/.exec(response.headers['openstack-api-version'] as string)?.[1],
  );
  expect(told, 'code').to.equal(minor >= 23 ? code : undefined);
}
