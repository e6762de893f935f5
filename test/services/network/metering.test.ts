// Metering labels and their rules.
import { expect } from 'chai';
import { newUuid } from '../../../src/kernel/ids.ts';
import { onEachDatabase, type Asked } from '../../support/cloud.ts';
import { ask, errorOf, member, someone, type Resource } from './support.ts';

const labels = '/metering/metering-labels';
const rules = '/metering/metering-label-rules';
const manager = someone('manager,member,reader', 'mia', 'blue');

onEachDatabase('network: metering', { auth: 'noauth2' }, (world) => {
  const makeLabel = async (fields: object = {}, as: Asked = {}): Promise<Resource> => {
    const sent = { metering_label: { name: 'web', ...fields } };
    const { body } = await ask(world, 'POST', labels, sent, as).expect(201);
    return (body as { metering_label: Resource }).metering_label;
  };
  const postRule = (label: string, fields: object, as: Asked = {}) => {
    const rule = { metering_label_id: label, direction: 'ingress', ...fields };
    return ask(world, 'POST', rules, { metering_label_rule: rule }, as);
  };
  const list = async (path: string, as: Asked = {}): Promise<Resource[]> => {
    const { body } = await ask(world, 'GET', path, undefined, as).expect(200);
    return Object.values(body as Record<string, Resource[]>)[0]!;
  };

  describe('/v2.0/metering/metering-labels', () => {
    it('creates, filters, shows and deletes labels', async () => {
      const label = await makeLabel({ description: 'd', shared: true });
      expect(label).to.deep.equal({
        id: label.id,
        name: 'web',
        description: 'd',
        project_id: 'admin',
        tenant_id: 'admin',
        shared: true,
      });
      await makeLabel({ name: 'mail' });
      const names = async (query: string) =>
        (await list(`${labels}?${query}`)).map(({ name }) => name as string);
      expect(await names('shared=true')).to.deep.equal(['web']);
      expect(await names('sort_key=name&sort_dir=asc')).to.deep.equal(['mail', 'web']);
      await ask(world, 'DELETE', `${labels}/${label.id}`).expect(204);
      expect(errorOf(await ask(world, 'GET', `${labels}/${label.id}`))).to.equal(
        `404 MeteringLabelNotFound: Metering label '${label.id}' does not exist.`,
      );
    });

    it('is for managers, and hides the labels of other projects', async () => {
      const other = await makeLabel({ shared: true });
      const own = await makeLabel({}, manager);
      const sent = { metering_label: { name: 'web' } };
      expect(errorOf(await ask(world, 'POST', labels, sent, member))).to.contain('403');
      expect((await list(labels, member)).map(({ id }) => id)).to.deep.equal([own.id]);
      await ask(world, 'GET', `${labels}/${other.id}`, undefined, member).expect(404);
      await ask(world, 'DELETE', `${labels}/${own.id}`, undefined, member).expect(403);
      await ask(world, 'DELETE', `${labels}/${own.id}`, undefined, manager).expect(204);
    });
  });

  describe('/v2.0/metering/metering-label-rules', () => {
    it('creates rules, which go with their label', async () => {
      const label = await makeLabel();
      const { body } = await postRule(label.id, { source_ip_prefix: '10.0.0.1' }).expect(201);
      const rule = (body as { metering_label_rule: Resource }).metering_label_rule;
      expect(rule).to.deep.equal({
        id: rule.id,
        metering_label_id: label.id,
        direction: 'ingress',
        excluded: false,
        remote_ip_prefix: null,
        source_ip_prefix: '10.0.0.1/32',
        destination_ip_prefix: null,
      });
      expect(await list(`${rules}?metering_label_id=${label.id}`)).to.deep.equal([rule]);
      await ask(world, 'DELETE', `${labels}/${label.id}`).expect(204);
      expect(await list(rules)).to.deep.equal([]);
      await ask(world, 'GET', `${rules}/${rule.id}`).expect(404);
    });

    it('returns 409 if the remote prefix overlaps within label, direction and exclusion', async () => {
      const label = await makeLabel();
      const post = async (fields: object, of = label): Promise<string> =>
        errorOf(await postRule(of.id, fields));
      expect(await post({ remote_ip_prefix: '10.0.0.0/16' })).to.contain('201');
      expect(await post({ remote_ip_prefix: '10.0.1.0/24' })).to.equal(
        '409 MeteringLabelRuleOverlaps: ' +
          "Metering label rule with remote_ip_prefix '10.0.1.0/24' overlaps another.",
      );
      expect(await post({ remote_ip_prefix: '10.0.1.0/24', excluded: true })).to.contain('201');
      expect(await post({ remote_ip_prefix: '10.0.1.0/24', direction: 'egress' })).to.contain(
        '201',
      );
      expect(await post({ source_ip_prefix: '10.0.1.0/24' })).to.contain('201');
      expect(await post({ remote_ip_prefix: '10.0.0.0/16' }, await makeLabel())).to.contain('201');
    });

    it('returns 400 for no, contradicting and invalid prefixes, and 404 for a label', async () => {
      const { id } = await makeLabel();
      const post = async (fields: object, label = id): Promise<string> =>
        errorOf(await postRule(label, fields));
      const remote_ip_prefix = '10.0.0.0/24';
      expect(await post({})).to.contain('400 Invalid: You must define at least one of the');
      expect(await post({ remote_ip_prefix, source_ip_prefix: '10.0.0.0/8' })).to.contain(
        "400 Invalid: Cannot use 'remote-ip-prefix' in conjunction with 'source-ip-prefix'",
      );
      expect(await post({ remote_ip_prefix: 'x' })).to.equal(
        '400 Invalid: remote_ip_prefix: x is invalid ' +
          "['x' does not appear to be an IPv4 or IPv6 interface].",
      );
      expect(await post({ remote_ip_prefix, direction: 'up' })).to.contain(
        '400 HTTPBadRequest: Invalid input for direction.',
      );
      const unknown = newUuid();
      expect(await post({ remote_ip_prefix }, unknown)).to.equal(
        `404 MeteringLabelNotFound: Metering label '${unknown}' does not exist.`,
      );
    });

    it('lets managers create rules, but hides rules from all but administrators', async () => {
      const label = await makeLabel({}, manager);
      const fields = { remote_ip_prefix: '10.0.0.0/24' };
      expect((await postRule(label.id, fields, member)).status).to.equal(403);
      await postRule(label.id, fields, manager).expect(201);
      expect(await list(rules, manager)).to.deep.equal([]);
      expect((await list(rules)).length).to.equal(1);
      const other = await makeLabel();
      expect((await postRule(other.id, fields, manager)).status).to.equal(404);
    });
  });
});
