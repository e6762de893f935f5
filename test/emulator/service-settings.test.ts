// Tests of /_emulator/{service}/settings, on the settings of Reservation and Tricircle.
import { expect } from 'chai';
import type supertest from 'supertest';
import { onEachDatabase } from '../support/cloud.ts';
import { serviceDefinitions } from '../../src/services/index.ts';

const options = {
  regions: ['RegionOne', 'RegionTwo'],
  centralRegion: 'CentralRegion',
  auth: 'noauth2',
} as const;

onEachDatabase('settings of services', options, (world) => {
  const show = (service: string, query = '') =>
    world.http.get(`/_emulator/${service}/settings${query}`);
  const change = (service: string, body: object) =>
    world.http.put(`/_emulator/${service}/settings`).send(body);
  const messageOf = ({ body }: supertest.Response): string =>
    (body as { error: { message: string } }).error.message;

  it('shows the defaults of each service that has settings', async () => {
    for (const { name, settings } of serviceDefinitions)
      if (settings)
        expect((await show(name).expect(200)).body).to.deep.equal(settings.view(settings.defaults));
  });

  it('changes the given settings, keeps the others, and shows all', async () => {
    await change('reservation', { cleaning_time: 5 }).expect(200);
    const { body } = await change('reservation', { before_end: 'snapshot' }).expect(200);
    expect(body).to.include({ cleaning_time: 5, before_end: 'snapshot', strict: false });
    expect((await show('reservation')).body).to.deep.equal(body);
  });

  it('changes one region, and leaves the others', async () => {
    await change('reservation', { region: 'RegionTwo', strict: true }).expect(200);
    expect((await show('reservation', '?region=RegionTwo')).body).to.include({ strict: true });
    expect((await show('reservation')).body).to.include({ strict: false });
  });

  it('keeps both changes of two requests at a time', async () => {
    await Promise.all([
      change('reservation', { cleaning_time: 1 }).expect(200),
      change('reservation', { healing_interval: 2 }).expect(200),
    ]);
    expect((await show('reservation')).body).to.include({ cleaning_time: 1, healing_interval: 2 });
  });

  it('hides the token of the external service', async () => {
    const service = { base_url: 'http://example.com', token: 'secret' };
    const { body } = await change('reservation', { external_service: service }).expect(200);
    expect(body).to.deep.include({ external_service: { base_url: 'http://example.com' } });
  });

  it('returns 400 for an unknown setting or a value out of range, and changes nothing', async () => {
    for (const body of [
      { nothing: 1 },
      { cleaning_time: -1 },
      { cleaning_time: '1' },
      { strict: true, before_end: 'later' },
      { max_lease_duration_exempt_project_ids: [...Array<string>(1000).fill('p'), 7] },
    ]) {
      const reply = await change('reservation', body).expect(400);
      expect(messageOf(reply)).to.match(/^Invalid request body: /);
    }
    expect((await show('reservation')).body).to.include({ cleaning_time: 0, strict: false });
  });

  it('returns 400 for an unknown region, or a region of a service that all regions share', async () => {
    await change('reservation', { region: 'Mars' }).expect(400);
    await show('reservation', '?region=Mars').expect(400);
    const reply = await change('tricircle', { region: 'RegionOne' }).expect(400);
    expect(messageOf(reply)).to.contain('All regions share the service tricircle');
  });

  it('returns 404 for a service without settings', async () => {
    for (const service of ['placement', 'nothing'])
      expect(messageOf(await show(service).expect(404))).to.match(
        /^There is no service '\w+' with settings\. Services with settings: .*reservation/,
      );
  });

  it('restores the defaults with a reset of the service', async () => {
    await change('reservation', { strict: true }).expect(200);
    await world.http.post('/_emulator/reset').send({ service: 'reservation' });
    expect((await show('reservation')).body).to.include({ strict: false });
  });
});
