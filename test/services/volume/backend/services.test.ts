// Tests services: list, enable, disable, freeze, thaw.
import { expect } from 'chai';
import type supertest from 'supertest';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, askAsAdmin, createVolume, messageOf, volume } from '../support.ts';

onEachDatabase('services of Volume', { auth: 'noauth2' }, (world) => {
  const host = 'cumulet@lvmdriver-1';
  const service = { binary: 'cinder-volume', host };
  const put = (verb: string, body: object = { host }, version?: string): supertest.Test =>
    askAsAdmin(world, 'PUT', `/os-services/${verb}`, body, version);
  const show = async (query = ''): Promise<object> =>
    (
      (await askAsAdmin(world, 'GET', `/os-services?binary=cinder-volume${query}`).expect(200))
        .body as { services: object[] }
    ).services[0]!;

  describe('PUT /os-services/disable and disable-log-reason', () => {
    it('disables a service, and shows the reason', async () => {
      const fields = { ...service, disabled_reason: 'why' };
      const disabled = await put('disable-log-reason', fields).expect(200);
      expect(disabled.body).to.deep.equal({
        ...service,
        service: '',
        status: 'disabled',
        disabled: true,
        disabled_reason: 'why',
      });
      expect(await show('&host=cumulet')).to.include({
        status: 'disabled',
        state: 'up',
        disabled_reason: 'why',
        frozen: false,
        backend_state: 'up',
      });
    });

    it('makes new volumes fail', async () => {
      await put('disable-log-reason', { ...service, disabled_reason: 'why' }).expect(200);
      expect(await volume(world, await createVolume(world, 'alice'))).to.include({
        status: 'error',
      });
    });

    it('returns 403 for a member', async () => {
      await ask(world, 'alice', 'PUT', '/os-services/disable', { body: service }).expect(403);
    });
  });

  describe('PUT /os-services/enable', () => {
    it('enables a service, so that volumes can be created', async () => {
      await put('disable', service).expect(200);
      await put('enable', service).expect(200);
      expect(await volume(world, await createVolume(world, 'alice'))).to.include({
        status: 'available',
      });
    });

    it('returns 404 for an unknown host', async () => {
      const refused = await put('enable', { ...service, host: 'x' }).expect(404);
      expect(messageOf(refused)).to.equal('Service cinder-volume could not be found on host x.');
    });

    it('returns 400 without a host', async () => {
      const refused = await put('enable', { binary: 'cinder-volume' }).expect(400);
      expect(messageOf(refused)).to.contain('Host field is missing');
    });
  });

  describe('PUT /os-services/freeze', () => {
    it('freezes and disables a backend', async () => {
      await put('freeze').expect(200);
      expect(await show()).to.include({
        frozen: true,
        status: 'disabled',
        disabled_reason: 'frozen',
      });
    });

    it('makes deleting a volume and creating a snapshot return 400', async () => {
      const id = await createVolume(world, 'alice');
      await put('freeze').expect(200);
      const frozen =
        'Invalid input received: Modification operations are not allowed on frozen storage ' +
        'backends.';
      const refused = await ask(world, 'alice', 'DELETE', `/volumes/${id}`).expect(400);
      expect(messageOf(refused)).to.equal(frozen);
      const body = { snapshot: { volume_id: id } };
      expect(
        messageOf(await ask(world, 'alice', 'POST', '/snapshots', { body }).expect(400)),
      ).to.equal(frozen);
    });

    it('returns 400 for a frozen backend', async () => {
      await put('freeze').expect(200);
      expect(messageOf(await put('freeze').expect(400))).to.contain(
        `frozen in ['${host}'] must be False`,
      );
    });

    it('returns 403 for a member', async () => {
      await ask(world, 'alice', 'PUT', '/os-services/freeze', { body: { host } }).expect(403);
    });
  });

  describe('PUT /os-services/thaw', () => {
    it('thaws and enables a backend, whose volumes can then be deleted', async () => {
      const id = await createVolume(world, 'alice');
      await put('freeze').expect(200);
      await put('thaw').expect(200);
      expect(await show()).to.include({ frozen: false, status: 'enabled', disabled_reason: '' });
      await ask(world, 'alice', 'DELETE', `/volumes/${id}`).expect(202);
    });

    it('returns 400 for an unknown host or cluster', async () => {
      expect(messageOf(await put('thaw', { host: 'nope' }).expect(400))).to.equal(
        'Invalid input received: No service found with host=nope',
      );
      expect(messageOf(await put('thaw', { cluster: 'c' }).expect(400))).to.contain(
        'No service found with cluster=c',
      );
    });

    it('returns 400 without a host, with the message of the version', async () => {
      expect(messageOf(await put('thaw', {}).expect(400))).to.contain(
        'One and only one of cluster and host must be set.',
      );
      expect(messageOf(await put('thaw', {}, '3.25').expect(400))).to.contain(
        'Host field is missing.',
      );
    });
  });
});
