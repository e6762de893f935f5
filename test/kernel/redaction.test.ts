// Tests of comparing secrets, and of keeping them out of messages.
import { expect } from 'chai';
import { parseDatabaseUrl } from '../../src/kernel/db/open.ts';
import { sameSecret, withoutPassword } from '../../src/kernel/redaction.ts';

describe('secrets', () => {
  it('are equal only if the texts are equal, for any lengths', () => {
    expect(sameSecret('open sesame', 'open sesame')).to.equal(true);
    expect(sameSecret('ö', 'ö')).to.equal(true);
    for (const other of ['', 'open', 'open sesamf', 'open sesame '])
      expect(sameSecret('open sesame', other)).to.equal(false);
  });

  const urls = {
    'mysql://root:hunter2@db/a-b': 'mysql://root:***@db/a-b',
    'mysql://root:hunter2@db:3306': 'mysql://root:***@db:3306',
    'mysql:/root:hunter2@db/nova': 'mysql:/root:***@db/nova',
    'postgres://root:hunter2@db/nova': 'postgres://root:***@db/nova',
    'root:hunter2@db/nova': 'root:***@db/nova',
    'mysql://root:hunter2/@x:y@db/nova': 'mysql://root:***@db/nova',
    'mysql://:hunter2@db/a-b': 'mysql://:***@db/a-b',
    'mysql://root@db/a-b': 'mysql://root@db/a-b',
    'mysql://db/a-b?password=hunter2&pool=3': 'mysql://db/a-b?password=***&pool=3',
    nothing: 'nothing',
  };
  for (const [url, shown] of Object.entries(urls))
    it(`stay out of ${shown}`, () => {
      expect(withoutPassword(url)).to.equal(shown);
      expect(() => parseDatabaseUrl(url))
        .to.throw(/is not a database URL/)
        .with.property('message')
        .that.does.not.include('hunter2');
    });
});
