// Sends a secret in each field that a contract marks as secret, as a text and as an object, and
// searches everything that is recorded for it.
import { expect } from 'chai';
import { isSecretName } from '../../../src/kernel/redaction/names.ts';
import { ownDefinitions } from '../../../src/services/index.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import { rawClient, type Client } from '../../support/raw.ts';
import { sampled, type Sample } from '../samples/index.ts';
import { fieldsOf, type RequestField } from './marked.ts';
import { collectRecords, leaksOf, type Records } from './records.ts';

/** The value with another value at the path, whose parents are created if they are missing. */
function withValue(value: unknown, [name, ...rest]: RequestField['at'], secret: unknown): unknown {
  if (name === undefined) return secret;
  if (name === 0) return [withValue(Array.isArray(value) ? value[0] : undefined, rest, secret)];
  const fields = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  const child = (fields as Record<string, unknown>)[name];
  return { ...fields, [name]: withValue(child, rest, secret) };
}

/** Fields that only resemble secrets, by service. */
const knownHarmless: Readonly<Record<string, readonly string[]>> = {
  identity: [
    'identity_providers:create identity_provider.authorization_ttl',
    'identity_providers:update identity_provider.authorization_ttl',
    'policies:create policy.blob',
    'policies:update policy.blob',
  ],
  volume: ['volumes:act os-unset_image_metadata.key'],
  tricircle: ['affinity_tags:create pod_affinity_tag.key'],
};

const nameOf = ({ operation, at }: RequestField): string => `${operation} ${at.join('.')}`;

for (const { name, versions } of ownDefinitions) {
  const fields = fieldsOf(name);
  const marked = fields.filter(({ isMarked }) => isMarked);

  it(`the contract of ${name} marks the fields that have the name of a secret`, () => {
    const values = ['string', 'integer', 'number'];
    const unmarked = fields.filter(
      ({ at, isMarked, types, where }) =>
        !isMarked &&
        where !== 'path' &&
        types.some((type) => values.includes(type)) &&
        isSecretName(String(at.findLast((key) => key !== 0))),
    );
    expect([...new Set(unmarked.map(nameOf))]).to.deep.equal(knownHarmless[name] ?? []);
  });

  const { config, prepare } = sampled.find(({ service }) => service === name)!;
  if (!marked.length) continue;
  onEachDatabase(`secrets that the contract of ${name} marks`, config, (world) => {
    let client: Client;
    let records: Records;

    beforeEach(async () => {
      client = rawClient(world.server);
      await world.http.put('/_emulator/requests').send({ keep: 1000 }).expect(200);
      records = collectRecords(world);
    });
    afterEach(async () => {
      records.stop();
      client.close();
      await world.http.put('/_emulator/requests').send({ keep: 0 }).expect(200);
    });

    it('are in no record', async () => {
      const { token, samples } = await prepare(client);
      const { prefix } = world.cloud.services.find(
        ({ definition }) => definition.name === name,
      )!.definition;
      const secrets = new Map<string, string>();
      const send = async (
        field: RequestField,
        { params = {}, query = '', body, headers = {} }: Sample,
        value: unknown,
        version: string,
      ): Promise<void> => {
        const { method, where, at } = field;
        const text = typeof value === 'string' ? value : 'x';
        const filled = { ...params, ...(where === 'path' ? { [at[0]!]: text } : {}) };
        const path = field.path.replaceAll(/\{(\w+)\}/g, (_, one: string) => filled[one] ?? 'x');
        const search = where === 'query' ? `?${at[0]!}=${text}` : query && `?${query}`;
        const [first = ''] = at;
        const known = typeof body === 'object' && body !== null && first in body ? body : {};
        const sent = where === 'body' ? withValue(known, at, value) : body;
        await client.send(
          method,
          prefix + path + search,
          {
            'content-type': 'application/json',
            'openstack-api-version': `${name} ${version}`,
            ...(token === null ? {} : { 'x-auth-token': token }),
            ...headers,
            ...(where === 'header' ? { [String(at[0])]: text } : {}),
          },
          sent === undefined ? undefined : JSON.stringify(sent),
        );
      };
      for (const [index, field] of marked.entries())
        for (const version of new Set([versions.min.name, versions.max.name])) {
          // The sample may not exist at the version; then the request is refused early.
          const make = async (): Promise<Sample> =>
            (await Promise.resolve(samples[field.operation]?.(version)).catch(() => ({}))) ?? {};
          for (const isObject of [false, true]) {
            const kind = `${version.replaceAll('.', 'p')}${isObject ? 'o' : 't'}`;
            const secret = `planted${index}v${kind}${'x'.repeat(12)}`;
            secrets.set(`${nameOf(field)} at ${version}${isObject ? ' as an object' : ''}`, secret);
            await send(field, await make(), isObject ? { inside: [secret] } : secret, version);
          }
        }
      expect(await leaksOf(records, secrets)).to.deep.equal([]);
    });
  });
}
