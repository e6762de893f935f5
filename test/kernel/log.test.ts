// Tests of the log as text, for people at a terminal.
import { expect } from 'chai';
import { textOf } from '../../src/kernel/log.ts';

const line = (fields: object): string =>
  textOf(JSON.stringify({ level: 30, time: '2026-11-20T12:00:00.000Z', ...fields }));

describe('the log as text', () => {
  it('shows method, path, status and milliseconds of a request', () => {
    const fields = { request: 'req-1', region: 'RegionOne', user: 'admin' };
    expect(line({ ...fields, status: 200, ms: 2.61, msg: 'GET /image/v2/images' })).to.equal(
      'GET /image/v2/images 200 3 ms',
    );
  });

  it('shows the reason of a refusal, and a reply that was dropped', () => {
    expect(line({ status: 404, ms: 1, reason: 'Not found.', msg: 'GET /x' })).to.equal(
      'GET /x 404 1 ms  Not found.',
    );
    expect(line({ status: 0, ms: 1, msg: 'GET /x' })).to.equal('GET /x dropped 1 ms');
  });

  it('shows the level and the fields of anything else', () => {
    expect(line({ level: 40, msg: 'busy', database: 'central' })).to.equal(
      'warn: busy database="central"',
    );
  });

  it('shows the stack of an error', () => {
    expect(
      line({ level: 50, msg: 'unexpected error', err: { stack: 'Error: x\n    at y' } }),
    ).to.equal('error: unexpected error\nError: x\n    at y');
  });

  it('keeps control characters of clients from the terminal', () => {
    expect(line({ status: 400, ms: 0, reason: 'a\u001b[2Jb\nc', msg: 'GET /' })).to.equal(
      'GET / 400 0 ms  a [2Jb c',
    );
  });
});
