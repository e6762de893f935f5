// Tests that no service is left out of the suites that are made of sample requests.
import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import { ownDefinitions as cards } from '../../src/services/index.ts';
import { sampled } from './samples/index.ts';

const names = cards.map(({ name }) => name);

it('every service has sample requests', () => {
  expect(sampled.map(({ service }) => service)).to.have.members(names);
});

for (const suite of ['every-microversion', 'fuzzing'])
  it(`every service has a file of its own in ${suite}`, () => {
    const files = readdirSync(new URL(`${suite}/`, import.meta.url)).filter((file) =>
      file.endsWith('.test.ts'),
    );
    expect(files).to.have.members(names.map((name) => `${name}.test.ts`));
  });

it('every service is tried by strangers, but for those that are for operators alone', () => {
  const files = readdirSync(new URL('tenant-isolation/', import.meta.url)).filter((file) =>
    file.endsWith('.test.ts'),
  );
  const operators = ['emulator'];
  expect(files).to.include.members(
    names.filter((name) => !operators.includes(name)).map((name) => `${name}.test.ts`),
  );
});
