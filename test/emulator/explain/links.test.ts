// How a failed request leads to its explanation: the journal and the header.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { hostReservation, leaseBody, postLease } from '../../services/reservation/support.ts';

interface Entry {
  readonly status: number;
  readonly explanation: string | null;
}

for (const explainHeader of [false, true])
  onEachDatabase(
    `links to explanations${explainHeader ? ' with a header' : ''}`,
    { auth: 'noauth2', hosts: '1', journal: 10, ...(explainHeader ? { explainHeader } : {}) },
    (world) => {
      it('names the explanation of a failed request only', async () => {
        const { headers } = await postLease(world, leaseBody([hostReservation()])).expect(500);
        await postLease(world, leaseBody([])).expect(201);
        const { 'x-openstack-request-id': id, 'x-cumulet-explain': header } = headers as Record<
          string,
          string
        >;
        const path = `/_emulator/explain/requests/${id}`;
        if (explainHeader) expect(header).to.match(new RegExp(`^http://.*${path}$`));
        else expect(header).to.equal(undefined);
        const { body } = await world.ask('', 'GET', '/_emulator/requests').expect(200);
        const entries = (body as { requests: Entry[] }).requests;
        const linked = entries.map(({ status, explanation }) => [
          status,
          explanation?.includes(path),
        ]);
        expect(linked).to.have.deep.members([
          [500, true],
          [201, undefined],
        ]);
        const { body: shown } = await world.ask('', 'GET', path).expect(200);
        expect((shown as { explanation: { name: string } }).explanation.name).to.equal('lease');
      });
    },
  );
