// Tests of the files of worlds: short forms, and errors that name the file, the line and what is
// expected there.
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { listPresets } from '../../../src/emulator/worlds/presets.ts';
import { readWorld, regionsOf } from '../../../src/emulator/worlds/read.ts';

const worldIn = (text: string) => readWorld('world.yaml', text).world;

function errorIn(text: string): string {
  try {
    readWorld('world.yaml', text);
    return 'none';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('the file of a world', () => {
  it('may be empty, or as short as a number of hosts', () => {
    expect(worldIn('')).to.deep.equal({});
    expect(worldIn('hosts: 40')).to.deep.equal({ hosts: 40 });
  });

  it('may be a list of hosts, as in files of --hosts', () => {
    const list = '- {name: a, vcpus: 2}\n- {name: b}';
    expect(worldIn(list)).to.deep.equal({ hosts: [{ name: 'a', vcpus: 2 }, { name: 'b' }] });
  });

  it('names regions in a list or a mapping', () => {
    expect(regionsOf(worldIn('regions: [A, B]'))).to.deep.equal(['A', 'B']);
    expect(regionsOf(worldIn('regions:\n  A:\n  B: {hosts: 2}'))).to.deep.equal(['A', 'B']);
    expect(regionsOf(worldIn('hosts: 1'))).to.deep.equal([]);
  });

  const errors: readonly (readonly [text: string, message: RegExp])[] = [
    ['hosts: many', /^world\.yaml:1: hosts: expected a whole number or a list, not "many"\.$/],
    ['hosts: -1', /^world\.yaml:1: hosts must be >= 0\.$/],
    ['\n\nhost: 3', /^world\.yaml:3: 'host' is unknown\. Expected: description, .*hosts/],
    ['hosts:\n- {name: a}\n- {nam: b}', /^world\.yaml:3: 'hosts\[1\]\.nam' is unknown\. Exp/],
    ['- {nam: b}', /^world\.yaml:1: 'hosts\[0\]\.nam' is unknown/],
    ['hosts:\n- name: a b', /^world\.yaml:2: hosts\[0\]\.name: "a b" is not valid\./],
    ['flavors:\n- {name: f, vcpus: 1, ram: 64}', /^world\.yaml:2: flavors\[0\] needs 'disk'\.$/],
    ['leases:\n- {name: l}', /^world\.yaml:2: leases\[0\] needs 'hosts'\.$/],
    [
      'leases:\n- name: l\n  hosts: 1\n  start: soon',
      /^world\.yaml:4: leases\[0\]\.start: (?:expected now or text, not "soon"|"soon" is not valid)/,
    ],
    [
      'server_groups:\n- {name: g, policy: near}',
      /^world\.yaml:2: server_groups\[0\]\.policy: expected one of affinity, .*, not "near"\.$/,
    ],
    ['a: [', /^world\.yaml:1: /],
    ['hosts: 1\nhosts: 2', /^world\.yaml:2: Map keys must be unique\.$/],
    ['just text', /^world\.yaml:1: the world: expected a mapping, not "just text"\.$/],
  ];
  for (const [text, message] of errors)
    it(`is refused if it has ${JSON.stringify(text)}`, () => {
      expect(errorIn(text)).to.match(message);
    });

  it('is refused if aliases multiply without end', () => {
    const levels = Array.from({ length: 30 }, (_, at) =>
      at ? `l${at}: &l${at} [*l${at - 1}, *l${at - 1}]` : 'l0: &l0 [x, x]',
    );
    expect(errorIn(levels.join('\n'))).to.match(/^world\.yaml: Excessive alias count/);
  });
});

describe('presets', () => {
  for (const { name, description, file } of listPresets())
    it(`${name} is a valid world with a description of one line`, () => {
      expect(readWorld(file).world.description).to.equal(description);
      expect(description).to.match(/^\S.{15,90}$/);
      expect(readFileSync(file, 'utf8')).to.match(/^# yaml-language-server: \$schema=\.\.\/world/);
    });
});
