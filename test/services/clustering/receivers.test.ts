// Tests of receivers and webhooks.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { heatSpec, messageOf, onClustering, type Clustering } from './support.ts';

const policyDir = mkdtempSync(join(tmpdir(), 'cumulet-webhooks-'));
writeFileSync(join(policyDir, 'clustering.yaml'), '"webhooks:trigger": "user_id:somebody"\n');

/** Creates a cluster, and a webhook that limits its size to 2. */
async function createWebhook(clustering: Clustering): Promise<{
  cluster: string;
  receiver: string;
  url: string;
  trigger: string;
}> {
  const profile_id = await clustering.createProfile(heatSpec, 'heat');
  const cluster = await clustering.createCluster(0, { profile_id });
  const { id, channel } = await clustering.createReceiver({
    cluster_id: cluster,
    action: 'CLUSTER_RESIZE',
    params: { max_size: 2 },
  });
  const trigger = `/clustering/v1/webhooks/${id}/trigger`;
  return { cluster, receiver: id, url: channel.alarm_url, trigger };
}

onClustering('receivers', {}, (clustering, world) => {
  describe('POST /receivers', () => {
    it('returns the URL of a webhook, with its parameters', async () => {
      const { receiver, url } = await createWebhook(clustering);
      expect(url).to.match(
        new RegExp(`/clustering/v1/webhooks/${receiver}/trigger\\?V=2&max_size=2$`),
      );
    });

    it('takes the URL from the address that received the request, not from headers', async () => {
      const cluster_id = await clustering.createCluster(0, {
        profile_id: await clustering.createProfile(heatSpec, 'heat'),
      });
      const receiver = { name: 'r', type: 'webhook', cluster_id, action: 'CLUSTER_SCALE_OUT' };
      const { port } = world.server.address() as AddressInfo;
      const headers = { 'x-forwarded-proto': 'https', host: `localhost:${port}` };
      const reply = await clustering
        .request('POST', '/receivers', { body: { receiver }, headers })
        .expect(201);
      expect(reply.body.receiver.channel.alarm_url).to.match(
        new RegExp(`^http://127\\.0\\.0\\.1:${port}/clustering/v1/webhooks/`),
      );
    });

    it('returns the queue of a message receiver', async () => {
      const { id, channel } = await clustering.createReceiver({ type: 'message' });
      expect(channel).to.include({ queue_name: `senlin-receiver-${id}` });
      await clustering.request('POST', `/receivers/${id}/notify`).expect(204);
    });

    it('returns 400 for a webhook without a cluster', async () => {
      const body = { receiver: { name: 'r', type: 'webhook' } };
      const reply = await clustering.request('POST', '/receivers', { body }).expect(400);
      expect(messageOf(reply)).to.equal(
        'Cluster identity is required for creating webhook receiver.',
      );
    });
  });

  describe('GET /receivers/{receiver_id}', () => {
    it('returns 404 after the cluster has been deleted', async () => {
      const { cluster, receiver } = await createWebhook(clustering);
      await clustering.request('DELETE', `/clusters/${cluster}`).expect(202);
      await clustering.request('GET', `/receivers/${receiver}`).expect(404);
    });
  });

  describe('POST /webhooks/{receiver_id}/trigger', () => {
    it('returns 400 without V', async () => {
      const { trigger } = await createWebhook(clustering);
      const reply = await world.ask('clustering', 'POST', trigger, { token: null }).expect(400);
      expect(reply.body.message).to.equal('V query parameter is required in webhook trigger URL');
    });

    it('runs the action for the owner of the receiver, without a token', async () => {
      const { cluster, receiver, trigger } = await createWebhook(clustering);
      const reply = await world
        .ask('clustering', 'POST', `${trigger}?V=2`, { token: null })
        .expect(202);
      const action = await clustering.showAction(reply.body.action as string);
      expect(action).to.deep.include({
        status: 'SUCCEEDED',
        name: `webhook_${receiver.slice(0, 8)}`,
        inputs: { max_size: 2, params: null },
      });
      expect(action).to.include({ user: 'demo', project: 'demo' });
      expect(await clustering.showCluster(cluster)).to.include({ max_size: 2 });
    });
  });
});

onClustering(
  'webhooks with a custom policy file',
  {},
  (clustering, world) => {
    it('return 403 if the owner may not trigger them', async () => {
      const { cluster, trigger } = await createWebhook(clustering);
      await world.ask('clustering', 'POST', `${trigger}?V=2`, { token: null }).expect(403);
      expect(await clustering.showCluster(cluster)).to.include({ max_size: -1 });
    });
  },
  { policyDir },
);
