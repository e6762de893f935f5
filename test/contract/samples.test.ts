// Tests that the suites built on sample requests cover every service.
import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import { shards } from '../support/shard.ts';
import { sharded } from '../suites.ts';
import { sampled } from './samples/index.ts';

it('every service has sample requests', () => {
  expect(sampled.map(({ service }) => service)).to.have.members(shards);
});

for (const suite of ['every-microversion', 'fuzzing'])
  it(`${suite} has one file, which runs for each service`, () => {
    const files = readdirSync(new URL(`${suite}/`, import.meta.url)).filter((file) =>
      file.endsWith('.test.ts'),
    );
    expect(files).to.deep.equal([`${suite}.test.ts`]);
    expect(sharded(`contract/${suite}/${files[0]}`)).to.equal(true);
  });

it('every service has a file for tenant isolation, except those for operators only', () => {
  const files = readdirSync(new URL('tenant-isolation/', import.meta.url)).filter((file) =>
    file.endsWith('.test.ts'),
  );
  const operators = ['emulator'];
  expect(files).to.include.members(
    shards.filter((name) => !operators.includes(name)).map((name) => `${name}.test.ts`),
  );
});
