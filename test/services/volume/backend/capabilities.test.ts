// Tests the capabilities of the backend.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { askAsAdmin, messageOf } from '../support.ts';

onEachDatabase('capabilities', { auth: 'noauth2' }, (world) => {
  it('shows the capabilities of the backend', async () => {
    const path = '/capabilities/cumulet@lvmdriver-1';
    expect((await askAsAdmin(world, 'GET', path).expect(200)).body).to.include({
      vendor_name: 'Open Source',
    });
  });

  it('returns 404 for an unknown host', async () => {
    expect(messageOf(await askAsAdmin(world, 'GET', '/capabilities/x').expect(404))).to.equal(
      "Can't find service: x",
    );
  });
});
