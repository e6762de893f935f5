// Trees of providers: parents, roots and moves.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  senderFor,
  claim,
  consumer,
  expectRefusal,
  makeProvider,
  newest,
  provider,
} from './helpers.ts';

onEachDatabase('Placement: trees of providers', { auth: 'noauth2' }, (world) => {
  const send = senderFor(world);
  const [root, child, leaf, other] = [provider(1), provider(2), provider(3), provider(4)];
  const post = (body: unknown, version = newest) =>
    send('POST /resource_providers', version, { body });
  const put = (uuid: string, parent: string | null, version = newest) =>
    send(`PUT /resource_providers/${uuid}`, version, {
      body: { name: `provider ${uuid}`, parent_provider_uuid: parent },
    });
  const placeOf = async (uuid: string): Promise<object> => {
    const { body } = await send(`GET /resource_providers/${uuid}`, newest).expect(200);
    return { parent: body.parent_provider_uuid, root: body.root_provider_uuid };
  };

  /** Two trees: root - child - leaf, and another root. */
  const plant = async (): Promise<void> => {
    await makeProvider(send, root);
    await makeProvider(send, child, { parent: root });
    await makeProvider(send, leaf, { parent: child });
    await makeProvider(send, other);
  };

  describe('POST /resource_providers with a parent', () => {
    it('creates the provider in the tree of its parent', async () => {
      await plant();
      expect(await placeOf(root)).to.deep.equal({ parent: null, root });
      expect(await placeOf(child)).to.deep.equal({ parent: root, root });
      expect(await placeOf(leaf)).to.deep.equal({ parent: child, root });
    });

    it('accepts null, and any form of a UUID', async () => {
      const { body } = await post(
        { name: 'host', uuid: root, parent_provider_uuid: null },
        '1.20',
      ).expect(200);
      expect(body).to.include({ parent_provider_uuid: null, root_provider_uuid: root });
      const { body: below } = await post(
        { name: 'child', parent_provider_uuid: root.replaceAll('-', '').toUpperCase() },
        '1.20',
      ).expect(200);
      expect(below).to.include({ parent_provider_uuid: root, root_provider_uuid: root });
    });

    it('returns 400 for an unknown parent, and for the provider itself', async () => {
      const failed =
        `Unable to create resource provider "host", ${child}: Object action ` +
        'create failed because: ';
      expectRefusal(
        await post({ name: 'host', uuid: child, parent_provider_uuid: root }),
        400,
        `${failed}parent provider UUID does not exist.`,
      );
      const self =
        `${failed}parent provider UUID cannot be same as UUID. Please set parent ` +
        'provider UUID to None if there is no parent.';
      expectRefusal(
        await post({ name: 'host', uuid: child, parent_provider_uuid: child }),
        400,
        self,
      );
      expectRefusal(
        await post({ name: 'host', parent_provider_uuid: 'zz' }),
        400,
        /'zz' is not a 'uuid'/,
      );
    });
  });

  describe('PUT /resource_providers/{uuid} with a parent', () => {
    const failed = (uuid: string, action = 'update') =>
      `Unable to save resource provider ${uuid}: Object action ${action} failed because: `;

    it('moves a root with its whole tree below a parent', async () => {
      await plant();
      const { body } = await put(root, other, '1.14').expect(200);
      expect(body).to.include({
        parent_provider_uuid: other,
        root_provider_uuid: other,
        generation: 0,
      });
      expect(await placeOf(child)).to.deep.equal({ parent: root, root: other });
      expect(await placeOf(leaf)).to.deep.equal({ parent: child, root: other });
    });

    it('keeps the parent if the body has none', async () => {
      await plant();
      const { body } = await send(`PUT /resource_providers/${leaf}`, newest, {
        body: { name: 'leaf' },
      }).expect(200);
      expect(body).to.include({
        name: 'leaf',
        parent_provider_uuid: child,
        root_provider_uuid: root,
      });
    });

    it('returns 400 for a provider that has a parent, before 1.37', async () => {
      await plant();
      expectRefusal(
        await put(child, other, '1.36'),
        400,
        `${failed(child)}re-parenting a provider is not currently allowed.`,
      );
      expectRefusal(
        await put(leaf, root, '1.36'),
        400,
        `${failed(leaf)}re-parenting a provider is not currently allowed.`,
      );
      expectRefusal(
        await put(child, null, '1.36'),
        400,
        `${failed(child)}un-parenting a provider is not currently allowed.`,
      );
      await put(child, root, '1.36').expect(200);
      await put(other, null, '1.36').expect(200);
      expect(await placeOf(child)).to.deep.equal({ parent: root, root });
    });

    it('moves a subtree within its tree and to another tree, from 1.37 on', async () => {
      await plant();
      await put(leaf, root, '1.37').expect(200);
      expect(await placeOf(leaf)).to.deep.equal({ parent: root, root });
      await put(leaf, child, '1.37').expect(200);
      await put(child, other, '1.37').expect(200);
      expect(await placeOf(child)).to.deep.equal({ parent: other, root: other });
      expect(await placeOf(leaf)).to.deep.equal({ parent: child, root: other });
      expect(await placeOf(root)).to.deep.equal({ parent: null, root });
    });

    it('makes a subtree a separate tree, from 1.37 on', async () => {
      await plant();
      const { body } = await put(child, null, '1.37').expect(200);
      expect(body).to.include({ parent_provider_uuid: null, root_provider_uuid: child });
      expect(await placeOf(leaf)).to.deep.equal({ parent: child, root: child });
    });

    it('keeps inventories, allocations, traits, aggregates and generations in a move', async () => {
      await makeProvider(send, root, { inventories: { DISK_GB: 1 } });
      await makeProvider(send, child, {
        parent: root,
        inventories: { VCPU: 4 },
        traits: ['CUSTOM_A'],
        aggregates: [provider(9)],
      });
      await makeProvider(send, other);
      await claim(send, consumer(1), { [child]: { VCPU: 2 } });
      const generation = (await send(`GET /resource_providers/${child}`).expect(200)).body
        .generation as number;
      await put(child, other).expect(200);
      const { body: usages } = await send(`GET /resource_providers/${child}/usages`).expect(200);
      expect(usages).to.deep.equal({
        resource_provider_generation: generation,
        usages: { VCPU: 2 },
      });
      expect(
        (await send(`GET /resource_providers/${child}/traits`, newest).expect(200)).body.traits,
      ).to.deep.equal(['CUSTOM_A']);
      expect(
        (await send(`GET /resource_providers/${child}/aggregates`, newest).expect(200)).body
          .aggregates,
      ).to.deep.equal([provider(9)]);
      const { body: found } = await send(
        `GET /allocation_candidates?resources=VCPU:1&in_tree=${other}`,
        newest,
      ).expect(200);
      expect(Object.keys(found.provider_summaries)).to.have.members([child, other]);
      expect(found.provider_summaries[child]).to.include({
        parent_provider_uuid: other,
        root_provider_uuid: other,
      });
    });

    it('returns 400 for a loop, at every version', async () => {
      await plant();
      for (const version of ['1.14', '1.37']) {
        expectRefusal(
          await put(root, leaf, version),
          400,
          `${failed(root)}creating loop in the provider tree is not allowed.`,
        );
        expectRefusal(
          await put(other, other, version),
          400,
          `${failed(other)}creating loop in the provider tree is not allowed.`,
        );
      }
      expect(await placeOf(root)).to.deep.equal({ parent: null, root });
    });

    it('returns 400 with the message of a creation for an unknown parent', async () => {
      await plant();
      expectRefusal(
        await put(child, provider(9)),
        400,
        `${failed(child, 'create')}parent provider UUID does not exist.`,
      );
    });

    it('never creates a loop by two concurrent moves', async () => {
      await makeProvider(send, root);
      await makeProvider(send, other);
      const moves = await Promise.all([put(root, other), put(other, root)]);
      expect(moves.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
      const places = [await placeOf(root), await placeOf(other)];
      expect(places).to.have.deep.members(
        moves[0].status === 200
          ? [
              { parent: other, root: other },
              { parent: null, root: other },
            ]
          : [
              { parent: root, root },
              { parent: null, root },
            ],
      );
    });

    it('sets the correct root of a child that is created while its parent moves', async () => {
      await makeProvider(send, root);
      await makeProvider(send, child, { parent: root });
      await makeProvider(send, other);
      const born = Array.from({ length: 6 }, (_, index) =>
        post({ name: `born ${index}`, uuid: provider(20 + index), parent_provider_uuid: child }),
      );
      await Promise.all([...born, put(child, other)]);
      for (let index = 0; index < 6; index++)
        expect(await placeOf(provider(20 + index))).to.deep.equal({ parent: child, root: other });
    });
  });
});
