// Tests availability zones.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, askAsAdmin } from '../support.ts';

onEachDatabase('availability zones of volumes', { auth: 'noauth2' }, (world) => {
  it('lists the zone nova', async () => {
    const { body } = await ask(world, 'reader', 'GET', '/os-availability-zone').expect(200);
    expect(body).to.deep.equal({
      availabilityZoneInfo: [{ zoneName: 'nova', zoneState: { available: true } }],
    });
  });

  it('shows the zone as unavailable while the volume service is disabled', async () => {
    const service = { binary: 'cinder-volume', host: 'cumulet@lvmdriver-1' };
    await askAsAdmin(world, 'PUT', '/os-services/disable', service).expect(200);
    const { body } = await ask(world, 'alice', 'GET', '/os-availability-zone');
    expect(body.availabilityZoneInfo[0].zoneState).to.deep.equal({ available: false });
  });
});
