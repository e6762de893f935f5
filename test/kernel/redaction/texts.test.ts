// Tests of the removal of secrets from URLs, queries, paths and other texts.
import { expect } from 'chai';
import { sameSecret } from '../../../src/kernel/auth/same-secret.ts';
import { parseDatabaseUrl } from '../../../src/kernel/db/open.ts';
import {
  redactPath,
  redactQuery,
  redactText,
  redactUrl,
} from '../../../src/kernel/redaction/texts.ts';

describe('sameSecret', () => {
  it('compares texts of any lengths', () => {
    expect(sameSecret('open sesame', 'open sesame')).to.equal(true);
    expect(sameSecret('ö', 'ö')).to.equal(true);
    for (const other of ['', 'open', 'open sesamf', 'open sesame '])
      expect(sameSecret('open sesame', other)).to.equal(false);
  });
});

describe('redactUrl', () => {
  const databases = {
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
  for (const [url, shown] of Object.entries(databases))
    it(`turns ${url} into ${shown}, also in the error for a database URL`, () => {
      expect(redactUrl(url)).to.equal(shown);
      expect(() => parseDatabaseUrl(url))
        .to.throw(/is not a database URL/)
        .with.property('message')
        .that.does.not.include('hunter2');
    });

  const others = {
    'http://host:6060/path@x': 'http://host:6060/path@x',
    'http://host:6060/?user=a@b&sig=x': 'http://host:6060/?user=a@b&sig=***',
    'mysql+pymysql://root:hunter2@db/nova': 'mysql+pymysql://root:***@db/nova',
    'https://u:p@h/?api_key=k#top': 'https://u:***@h/?api_key=***',
  };
  for (const [url, shown] of Object.entries(others))
    it(`turns ${url} into ${shown}`, () => {
      expect(redactUrl(url)).to.equal(shown);
    });
});

describe('redactQuery', () => {
  const queries = {
    '': '',
    'name=n&password=p&X-Auth-Token=t=t&token': 'name=n&password=***&X-Auth-Token=***&token',
    'p%61ssword=p&p%61ssword%zz=p': 'p%61ssword=***&p%61ssword%zz=***',
    'a=1;password=p;b=2': 'a=1;password=***;b=2',
    'path=%3Ftoken%3Dt&title=x': 'path=?token=***&title=x',
    'api_key=k&apikey=k&key=k&code=c&sig=s': 'api_key=***&apikey=***&key=***&code=***&sig=***',
    'sort_key=name&key_name=k&public_key=k&marker=m':
      'sort_key=name&key_name=k&public_key=k&marker=m',
    'password=': 'password=',
    '&&=&;': '&&=&;',
    'to=http%3A%2F%2Fu%3Ap%40h': 'to=http://u:***@h',
  };
  for (const [query, shown] of Object.entries(queries))
    it(`turns ${query || 'an empty query'} into ${shown || 'itself'}`, () => {
      expect(redactQuery(query)).to.equal(shown);
    });

  it('reports what it has removed', () => {
    const found: string[] = [];
    redactQuery('password=a%20b&c=d', found);
    expect(found).to.deep.equal(['a b', 'a%20b']);
  });
});

describe('redactPath', () => {
  const paths = {
    '/v2.0/tokens/abc/endpoints': '/v2.0/tokens/***/endpoints',
    '/v1/webhooks/abc/trigger': '/v1/webhooks/***/trigger',
    '/v1/webhooks//abc': '/v1/webhooks//***',
    '/tokens/tokens/abc': '/tokens/***/***',
    '/v3/auth/tokens': '/v3/auth/tokens',
    '/v2.1/servers/abc': '/v2.1/servers/abc',
    [`/x/eyJ${'a.'.repeat(40)}/y`]: '/x/***/y',
  };
  for (const [path, shown] of Object.entries(paths))
    it(`turns ${path} into ${shown}`, () => {
      expect(redactPath(path)).to.equal(shown);
    });
});

describe('redactText', () => {
  it('removes tokens, the passwords of URLs, and texts with private keys', () => {
    expect(redactText(`see gAAAAAB${'x'.repeat(60)}.`)).to.equal('see ***');
    expect(redactText('see https://u:p@h/x  or ftp://h')).to.equal(
      'see https://u:***@h/x  or ftp://h',
    );
    expect(redactText('-----BEGIN OPENSSH PRIVATE KEY-----\nabc')).to.equal('***');
    expect(redactText('ssh-rsa AAAA me@host')).to.equal('ssh-rsa AAAA me@host');
  });
});
