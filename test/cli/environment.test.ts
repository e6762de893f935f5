// Tests of mistakes in the environment: unknown variables, options that npm has taken, and versions
// of Node.js that are too old.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { refuseOptionsOfNpm, unknownVariables } from '../../src/cli/environment.ts';
import { refusalOfNode } from '../../src/cli/node-version.ts';
import { parentOf } from '../../src/cli/start.ts';
import { commandName } from '../../src/kernel/command-line.ts';
import { packageRoot } from '../../src/kernel/package-root.ts';

describe('unknownVariables', () => {
  it('reports a variable that belongs to no option, with the nearest name', () => {
    expect(unknownVariables({ CUMULET_PRT: '1', CUMULET_LOGLEVEL: 'warn' })).to.deep.equal([
      'There is no variable CUMULET_PRT, so it has no effect. Did you mean CUMULET_PORT?',
      'There is no variable CUMULET_LOGLEVEL, so it has no effect. Did you mean CUMULET_LOG_LEVEL?',
    ]);
  });

  it('suggests nothing if no name is near', () => {
    expect(unknownVariables({ CUMULET_SOMETHING_ELSE: '' })).to.deep.equal([
      'There is no variable CUMULET_SOMETHING_ELSE, so it has no effect.',
    ]);
  });

  it('accepts the variables of options, of exec and of the suites', () => {
    const env = { CUMULET_PORT: '', CUMULET_URL: '', CUMULET_TEST_DATABASE: '', PATH: '' };
    expect(unknownVariables(env)).to.deep.equal([]);
  });
});

describe('refuseOptionsOfNpm', () => {
  it('shows where -- is missing', () => {
    const env = { npm_lifecycle_event: 'start', npm_config_port: 'true', npm_config_cache: '/' };
    expect(() => refuseOptionsOfNpm(env)).to.throw(
      'npm has taken --port for itself. Write options after --, as in: npm start -- --port <number>',
    );
  });

  it('accepts a start without options, and npx', () => {
    refuseOptionsOfNpm({ npm_lifecycle_event: 'start' });
    refuseOptionsOfNpm({ npm_lifecycle_event: 'npx', npm_config_port: '1' });
  });
});

describe('refusalOfNode', () => {
  it('refuses versions before 20.19', () => {
    expect(refusalOfNode('18.20.8')).to.equal(
      'Cumulet needs Node.js 20.19 or newer; this is 18.20.8. Install a newer one from ' +
        "https://nodejs.org, or with 'nvm install'.",
    );
    expect(refusalOfNode('20.18.3')).to.match(/this is 20\.18\.3/);
  });

  it('accepts 20.19 and newer', () => {
    for (const version of ['20.19.0', '20.20.2', '21.0.0', '22.1.0', '26.0.0-nightly'])
      expect(refusalOfNode(version), version).to.equal(undefined);
  });

  it('agrees with package.json', () => {
    const { engines } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as {
      engines: { node: string };
    };
    const [, major, minor] = /^>=(\d+)\.(\d+)$/.exec(engines.node)!;
    expect(refusalOfNode(`${major}.${minor}.0`)).to.equal(undefined);
    expect(refusalOfNode(`${major}.${Number(minor) - 1}.9`)).not.to.equal(undefined);
  });
});

describe('parentOf', () => {
  it('finds the parent of a process on Linux', function () {
    if (process.platform !== 'linux') return this.skip();
    expect(parentOf(process.pid)).to.equal(process.ppid);
    expect(parentOf(2 ** 30)).to.equal(undefined);
  });
});

describe('commandName', () => {
  it('is the command that the user has', () => {
    const under = { npm_command: 'run-script' };
    expect(commandName(under, ['node', '/clone/dist/main.js'])).to.equal('npx cumulet');
    expect(commandName({}, ['node', '/usr/bin/cumulet'])).to.equal('cumulet');
    expect(commandName({}, ['node', join(process.cwd(), 'dist', 'main.js')])).to.equal(
      `node ${join('dist', 'main.js')}`,
    );
    expect(commandName({}, ['node', '/project/node_modules/.bin/mocha'])).to.equal('npx cumulet');
  });
});
