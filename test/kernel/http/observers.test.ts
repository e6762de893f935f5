// Tests of observers, such as the log and the metrics.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';

onEachDatabase('observers', { auth: 'noauth2' }, (world) => {
  it('see every reply, including errors', async () => {
    const seen: string[] = [];
    world.cloud.observers.push(
      (call, answered) => void seen.push(`${call.method} ${call.path} ${answered.status}`),
    );
    try {
      await world.ask('placement', 'GET', '/placement/resource_classes', { version: '1.2' });
      await world.ask('placement', 'GET', '/placement/nowhere');
      expect(seen).to.deep.equal(['GET /resource_classes 200', 'GET /nowhere 404']);
    } finally {
      world.cloud.observers.pop();
    }
  });
});
