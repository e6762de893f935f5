// Tests of the log as text, for people at a terminal.
import { expect } from 'chai';
import { hasColour, textOf } from '../../src/kernel/log.ts';

const line = (fields: object): string =>
  textOf(JSON.stringify({ level: 30, time: '2026-11-20T12:00:00.000Z', ...fields }));

/** The time of the lines, in the zone of this machine. */
const at = new Date('2026-11-20T12:00:00.000Z').toTimeString().slice(0, 8);

describe('the log as text', () => {
  it('shows time, method, path, status, milliseconds and user of a request', () => {
    const fields = { request: 'req-1', region: 'RegionOne', user: 'admin' };
    expect(line({ ...fields, status: 200, ms: 2.61, msg: 'GET /image/v2/images' })).to.equal(
      `${at} GET /image/v2/images 200 3 ms admin`,
    );
  });

  it('shows the reason of a refusal, and a reply that was dropped', () => {
    expect(line({ status: 404, ms: 1, reason: 'Not found.', msg: 'GET /x' })).to.equal(
      `${at} GET /x 404 1 ms  Not found.`,
    );
    expect(line({ status: 0, ms: 1, msg: 'GET /x' })).to.equal(`${at} GET /x dropped 1 ms`);
  });

  it('shows the level and the fields of anything else', () => {
    expect(line({ level: 40, msg: 'busy', database: 'central' })).to.equal(
      `${at} warn: busy database="central"`,
    );
  });

  it('shows the stack of an error', () => {
    expect(
      line({ level: 50, msg: 'unexpected error', err: { stack: 'Error: x\n    at y' } }),
    ).to.equal(`${at} error: unexpected error\nError: x\n    at y`);
  });

  it('keeps control characters of clients from the terminal', () => {
    expect(line({ status: 400, ms: 0, reason: 'a\u001b[2Jb\nc', msg: 'GET /' })).to.equal(
      `${at} GET / 400 0 ms  a [2Jb c`,
    );
  });

  it('colours the status by its class', () => {
    const colour = (status: number): string | undefined =>
      // eslint-disable-next-line no-control-regex -- an escape sequence is what is looked for
      /\u001B\[(\d+)m(?:\d+|dropped)\u001B\[0m \d+ ms/.exec(
        textOf(JSON.stringify({ level: 30, time: '2026-11-20T12:00:00Z', status, ms: 1 }), true),
      )?.[1];
    expect([200, 404, 500, 0].map(colour)).to.deep.equal(['32', '33', '31', '31']);
  });

  it('has colour on a terminal only, and not with NO_COLOR', () => {
    expect(hasColour({}, true)).to.equal(true);
    expect(hasColour({ NO_COLOR: '' }, true)).to.equal(true);
    expect(hasColour({ NO_COLOR: '1' }, true)).to.equal(false);
    expect(hasColour({ TERM: 'dumb' }, true)).to.equal(false);
    expect(hasColour({}, false)).to.equal(false);
  });
});
