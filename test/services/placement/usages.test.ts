// Usages of a provider, and of a project by class and consumer type.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  allocationBody,
  senderFor,
  claim,
  consumer,
  expectRefusal,
  makeProvider,
  newest,
  provider,
} from './support.ts';

const noon = { 'last-modified': 'Fri, 20 Nov 2026 12:00:00 GMT', 'cache-control': 'no-cache' };

onEachDatabase('Placement: usages', { auth: 'noauth2' }, (world) => {
  const send = senderFor(world);
  const one = provider(1);

  describe('GET /resource_providers/{uuid}/usages', () => {
    const usages = (version: string, uuid = one) =>
      send(`GET /resource_providers/${uuid}/usages`, version);

    it('returns the sum for each class of the provider, even if it is 0 #placement-17', async () => {
      await makeProvider(send, one, { inventories: { VCPU: 8, DISK_GB: 10 } });
      expect((await usages('1.0').expect(200)).body).to.deep.equal({
        resource_provider_generation: 1,
        usages: { VCPU: 0, DISK_GB: 0 },
      });
      await claim(send, consumer(1), { [one]: { VCPU: 2 } });
      await claim(send, consumer(2), { [one]: { VCPU: 3, DISK_GB: 1 } });
      const { body, headers } = await usages('1.15').expect(200);
      expect(body).to.deep.equal({
        resource_provider_generation: 3,
        usages: { VCPU: 5, DISK_GB: 1 },
      });
      expect(headers).to.include(noon);
    });

    it('returns an empty map for a provider without inventories', async () => {
      await makeProvider(send, one);
      expect((await usages('1.0').expect(200)).body).to.deep.equal({
        resource_provider_generation: 0,
        usages: {},
      });
    });

    it('returns 404 for an unknown provider', async () => {
      const message = `No resource provider with uuid ${one} found`;
      expectRefusal(await usages(newest), 404, `${message}: ${message}`);
    });
  });

  describe('GET /usages', () => {
    const usages = async (query: string, version = newest): Promise<unknown> =>
      (await send(`GET /usages?${query}`, version).expect(200)).body.usages;

    /**
     * Creates a project with two users, who have an instance each, a migration and a consumer
     * without a type, and another project.
     */
    const use = async (): Promise<void> => {
      await makeProvider(send, one, { inventories: { VCPU: 100, DISK_GB: 100 } });
      await makeProvider(send, provider(2), { inventories: { VCPU: 100 } });
      await claim(
        send,
        consumer(1),
        { [one]: { VCPU: 1, DISK_GB: 10 }, [provider(2)]: { VCPU: 2 } },
        { user_id: 'ann' },
      );
      await claim(send, consumer(2), { [one]: { VCPU: 4 } }, { user_id: 'bob' });
      await claim(
        send,
        consumer(3),
        { [one]: { VCPU: 8 } },
        { user_id: 'ann', consumer_type: 'MIGRATION' },
      );
      const body = allocationBody(
        { [one]: { DISK_GB: 3 } },
        { user_id: 'ann', consumer_generation: null },
      );
      await send(`PUT /allocations/${consumer(4)}`, '1.37', { body }).expect(204);
      await claim(send, consumer(5), { [one]: { VCPU: 16 } }, { project_id: 'other' });
    };

    it('sums the classes of a project or one of its users, before 1.38', async () => {
      await use();
      expect(await usages('project_id=project', '1.9')).to.deep.equal({ VCPU: 15, DISK_GB: 13 });
      expect(await usages('project_id=project&user_id=bob', '1.37')).to.deep.equal({ VCPU: 4 });
      expect(await usages('project_id=other', '1.9')).to.deep.equal({ VCPU: 16 });
      expect(await usages('project_id=nobody', '1.9')).to.deep.equal({});
      expect(
        await usages('project_id=nobody&project_id=other', '1.9'),
        'the last counts',
      ).to.deep.equal({ VCPU: 16 });
    });

    it('sums by consumer type and counts the consumers, from 1.38 on', async () => {
      await use();
      expect(await usages('project_id=project')).to.deep.equal({
        INSTANCE: { VCPU: 7, DISK_GB: 10, consumer_count: 2 },
        MIGRATION: { VCPU: 8, consumer_count: 1 },
        unknown: { DISK_GB: 3, consumer_count: 1 },
      });
      expect(await usages('project_id=project&user_id=bob')).to.deep.equal({
        INSTANCE: { VCPU: 4, consumer_count: 1 },
      });
    });

    it('filters by consumer type', async () => {
      await use();
      expect(await usages('project_id=project&consumer_type=INSTANCE')).to.deep.equal({
        INSTANCE: { VCPU: 7, DISK_GB: 10, consumer_count: 2 },
      });
      expect(await usages('project_id=project&consumer_type=unknown')).to.deep.equal({
        unknown: { DISK_GB: 3, consumer_count: 1 },
      });
    });

    it('sums all consumer types for consumer_type=all', async () => {
      await use();
      expect(await usages('project_id=project&consumer_type=all')).to.deep.equal({
        all: { VCPU: 15, DISK_GB: 13, consumer_count: 4 },
      });
    });

    it('returns an empty map for an unknown consumer type or project', async () => {
      await use();
      expect(await usages('project_id=project&consumer_type=ROBOT')).to.deep.equal({});
      expect(await usages('project_id=nobody&consumer_type=all')).to.deep.equal({});
      expect(
        await usages('project_id=project&consumer_type=allx'),
        'accepted by the pattern',
      ).to.deep.equal({});
    });

    it('returns the current time as Last-Modified', async () => {
      expect((await send('GET /usages?project_id=project', '1.15').expect(200)).headers).to.include(
        noon,
      );
      expect(
        (await send('GET /usages?project_id=project', '1.14').expect(200)).headers,
      ).to.not.have.any.keys('last-modified', 'cache-control');
    });

    it('returns 400 for an invalid query', async () => {
      for (const [query, message] of [
        ['', /^Invalid query string parameters: 'project_id' is a required property/],
        ['user_id=ann', /'project_id' is a required property/],
        ['project_id=', /Failed validating 'minLength'/],
        [`project_id=${'x'.repeat(256)}`, /is too long {2}Failed validating 'maxLength'/],
        ['project_id=a&user_id=', /Failed validating 'minLength'/],
        [
          'project_id=a&limit=1',
          /Additional properties are not allowed \('limit' was unexpected\)/,
        ],
        ['project_id=a&consumer_type=instance', /'instance' does not match/],
      ] as const) {
        expectRefusal(await send(`GET /usages?${query}`, newest), 400, message);
      }
    });

    it('returns 400 for a consumer type before 1.38', async () => {
      expectRefusal(
        await send('GET /usages?project_id=a&consumer_type=all', '1.37'),
        400,
        /'consumer_type' was unexpected/,
      );
    });

    it('returns 404 before 1.9', async () => {
      expectRefusal(await send('GET /usages?project_id=a', '1.8'), 404, '');
    });
  });
});
