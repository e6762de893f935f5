// Compares the methods of the library with the contract of the emulator's API: each operation is
// called by a method, or left out for a reason.
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { connectCloud, startCloud, type Cloud } from '../../src/library/index.ts';
import { operations } from '../../src/library/contract.ts';
import { callEverything } from './every-method.ts';

/** Operations without a method, each with the reason. */
const leftOut: Readonly<Record<string, string>> = {
  'index:show': 'It is the page for browsers; info() returns the same as JSON.',
  'health:show': 'ready() says more.',
  'openrc:show': 'It is for shells; env has the same variables.',
  'page:open': 'It is for browsers.',
  'page:show': 'It is for browsers.',
  'page_files:show': 'It is for browsers.',
  'changes:stream': 'It never ends; any client of server-sent events reads it.',
  'notifications:stream': 'It never ends; any client of server-sent events reads it.',
};

/** The operations of the emulator's API that a cloud has served. */
async function servedOperations(cloud: Cloud): Promise<string[]> {
  const lines = (await cloud.metrics()).matchAll(
    /^cumulet_requests_total\{service="emulator",.*operation="(\w+:\w+)"/gm,
  );
  return [...new Set([...lines].map(([, name]) => name!))];
}

/** The methods of the parts of a cloud, such as `clock.freeze`. */
const methodsOf = (part: object): string[] =>
  Object.getOwnPropertyNames(Object.getPrototypeOf(part)).filter((name) => name !== 'constructor');

describe('the methods of a cloud', () => {
  it('call every operation of the emulator, except for those left out', async () => {
    await using started = await startCloud({ hosts: 1 });
    const cloud = await connectCloud(started.url);
    await callEverything(cloud);
    const served = await servedOperations(cloud);
    const expected = Object.keys(operations).filter((name) => !Object.hasOwn(leftOut, name));
    expect(served).to.have.members(expected);
  });

  it('are each called by callEverything()', async () => {
    await using cloud = await startCloud({ hosts: 0 });
    const called = readFileSync(new URL('./every-method.ts', import.meta.url), 'utf8');
    const parts = Object.entries(cloud).filter(([, part]) => typeof part === 'object');
    const methods = [
      ...methodsOf(cloud)
        .filter((name) => name !== 'stop')
        .map((name) => `cloud.${name}(`),
      ...parts
        .filter(([name]) => name !== 'env')
        .flatMap(([name, part]) => methodsOf(part as object).map((method) => `${name}.${method}(`)),
    ];
    expect(methods.length).to.be.greaterThan(40);
    expect(methods.filter((method) => !called.includes(method))).to.deep.equal([]);
  });
});
