// Helpers of Placement's tests: they send requests, create resources and check errors.
import { expect } from 'chai';
import type supertest from 'supertest';
import type { Asked, World } from '../../support/cloud.ts';

export const newest = '1.39';

/** Returns the UUID of the provider, consumer or aggregate with this number. */
export const provider = (number: number): string =>
  `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
export const consumer = (number: number): string =>
  `cccccccc-0000-4000-8000-${String(number).padStart(12, '0')}`;
export const aggregate = (number: number): string =>
  `aaaaaaaa-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** Sends a request: `send('PUT /traits/CUSTOM_X', '1.39', { body })`. The version is optional. */
export type Send = (
  line: string,
  version?: string,
  rest?: Omit<Asked, 'version'>,
) => supertest.Test;

export function senderFor(world: World): Send {
  return (line, version, rest = {}) => {
    const [method = 'GET', path = '/'] = line.split(/ (.*)/s);
    return world.ask('placement', method, `/placement${path}`, {
      ...rest,
      ...(version ? { version } : {}),
    });
  };
}

type Amounts = Readonly<Record<string, number>>;

/** The fields of a provider in a test. An inventory is a body, or only the total. */
export interface ProviderFixture {
  readonly name?: string;
  readonly parent?: string;
  readonly inventories?: Readonly<Record<string, number | Readonly<Record<string, number>>>>;
  readonly traits?: readonly string[];
  readonly aggregates?: readonly string[];
}

async function generationOf(send: Send, uuid: string): Promise<number> {
  return (
    (await send(`GET /resource_providers/${uuid}`).expect(200)).body as { generation: number }
  ).generation;
}

/**
 * Creates a provider with its inventories, traits and aggregates, and the custom traits and classes
 * that it uses. @returns its UUID
 */
export async function makeProvider(
  send: Send,
  uuid: string,
  fixture: ProviderFixture = {},
): Promise<string> {
  const { name = `provider ${uuid}`, parent, inventories, traits, aggregates } = fixture;
  const body = { name, uuid, ...(parent === undefined ? {} : { parent_provider_uuid: parent }) };
  await send('POST /resource_providers', newest, { body }).expect(200);
  if (inventories) await setInventories(send, uuid, inventories);
  for (const trait of traits ?? [])
    if (trait.startsWith('CUSTOM_')) await send(`PUT /traits/${trait}`, newest);
  if (traits) {
    const trait = { traits, resource_provider_generation: await generationOf(send, uuid) };
    await send(`PUT /resource_providers/${uuid}/traits`, newest, { body: trait }).expect(200);
  }
  if (aggregates)
    await send(`PUT /resource_providers/${uuid}/aggregates`, '1.18', { body: aggregates }).expect(
      200,
    );
  return uuid;
}

/** Replaces the inventories of a provider. */
export async function setInventories(
  send: Send,
  uuid: string,
  fixtures: NonNullable<ProviderFixture['inventories']>,
): Promise<void> {
  for (const name of Object.keys(fixtures))
    if (name.startsWith('CUSTOM_')) await send(`PUT /resource_classes/${name}`, newest);
  const inventories = Object.fromEntries(
    Object.entries(fixtures).map(([name, fields]) => [
      name,
      typeof fields === 'number' ? { total: fields } : fields,
    ]),
  );
  const body = { resource_provider_generation: await generationOf(send, uuid), inventories };
  await send(`PUT /resource_providers/${uuid}/inventories`, newest, { body }).expect(200);
}

/** Returns the body of an allocation in the format from 1.12 on. */
export function allocationBody(
  uses: Readonly<Record<string, Amounts>>,
  rest: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const allocations = Object.fromEntries(
    Object.entries(uses).map(([uuid, resources]) => [uuid, { resources }]),
  );
  return { allocations, project_id: 'project', user_id: 'user', ...rest };
}

/** Adds the fields of 1.38: the generation (null for a new consumer) and the consumer type. */
export function claimBody(
  uses: Readonly<Record<string, Amounts>>,
  rest: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return allocationBody(uses, { consumer_generation: null, consumer_type: 'INSTANCE', ...rest });
}

/** Sets the allocations of a consumer, which is new unless `rest` has its generation. */
export async function claim(
  send: Send,
  uuid: string,
  uses: Readonly<Record<string, Amounts>>,
  rest: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await send(`PUT /allocations/${uuid}`, newest, { body: claimBody(uses, rest) }).expect(204);
}

const sentences: Readonly<Record<number, string>> = {
  400:
    'The server could not comply with the request since it is either malformed or ' +
    'otherwise incorrect.',
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

/** Checks the format and headers of an error reply. @returns its only error */
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

/** Expects an error with this message in WebOb's format, and from 1.23 on with this code. */
export function expectRefusal(
  response: supertest.Response,
  status: number,
  message: string | RegExp,
  code = 'placement.undefined_code',
): void {
  const { detail, code: actualCode } = refusalOf(response, status);
  const prefix = `${sentences[status]}\n\n `;
  expect(detail.startsWith(prefix) && detail.endsWith('  '), JSON.stringify(detail)).to.equal(true);
  const actual = detail.slice(prefix.length, -2);
  if (typeof message === 'string') expect(actual).to.equal(message);
  else expect(actual).to.match(message);
  const minor = Number(
    /^placement 1\.(\d+)$/.exec(response.headers['openstack-api-version'] as string)?.[1],
  );
  expect(actualCode, 'code').to.equal(minor >= 23 ? code : undefined);
}
