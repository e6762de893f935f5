// Tests that a webhook, which needs no token, is held to the rule for triggering it, in the name of
// the receiver's owner.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { heatSpec, onClustering } from './support.ts';

const policyDir = mkdtempSync(join(tmpdir(), 'cumulet-webhooks-'));
writeFileSync(join(policyDir, 'clustering.yaml'), '"webhooks:trigger": "user_id:somebody"\n');

onClustering(
  'webhooks under a policy of one’s own',
  {},
  (the, world) => {
    it('do nothing for an owner who may not trigger them', async () => {
      const id = await the.makeCluster(0, { profile_id: await the.makeProfile(heatSpec, 'heat') });
      const body = {
        receiver: {
          name: 'r',
          type: 'webhook',
          cluster_id: id,
          action: 'CLUSTER_RESIZE',
          params: { max_size: 2 },
        },
      };
      const { receiver } = (await the.ask('POST', '/receivers', { body }).expect(201)).body as {
        receiver: { id: string };
      };
      await world
        .ask('clustering', 'POST', `/clustering/v1/webhooks/${receiver.id}/trigger?V=2`, {
          token: null,
        })
        .expect(403);
      expect(await the.showCluster(id)).to.include({ max_size: -1 });
    });
  },
  { policyDir },
);
