// Tests of the log of requests: caller, path, status and error message, without secrets.
import { expect } from 'chai';
import { pino } from 'pino';
import { logRequest } from '../../../src/kernel/http/observers.ts';
import { onEachDatabase } from '../../support/cloud.ts';

interface Line {
  readonly msg: string;
  readonly status: number;
  readonly action?: string;
  readonly reason?: string;
}

onEachDatabase('request log', { auth: 'noauth2' }, (world) => {
  const lines: Line[] = [];

  beforeEach(() => {
    lines.splice(0);
    const log = pino(
      { level: 'info' },
      { write: (line: string) => void lines.push(JSON.parse(line) as Line) },
    );
    world.cloud.observers.push((call, answered, ms, source) =>
      logRequest({ ...call, cloud: { ...call.cloud, log } }, answered, ms, source),
    );
  });
  afterEach(() => void world.cloud.observers.pop());

  it('contains the query of a request, and no reason after success', async () => {
    await world.ask('placement', 'GET', '/placement/resource_providers?name=a%20b&member_of=', {
      version: '1.2',
    });
    await world.ask('placement', 'GET', '/placement/resource_classes?', { version: '1.2' });
    expect(lines[0]!.msg).to.equal('GET /placement/resource_providers?name=a%20b&member_of=');
    expect(lines[1]!.msg).to.equal('GET /placement/resource_classes');
    expect(lines[1]).to.not.have.any.keys('reason', 'action');
  });

  it('contains the error message of the reply, in each error format', async () => {
    await world.ask('placement', 'GET', '/placement/resource_providers?colour=red', {
      version: '1.2',
    });
    await world.ask('compute', 'GET', '/compute/v2.1/servers/nowhere');
    await world.ask('network', 'GET', '/network/v2.0/networks/nowhere');
    await world.ask('image', 'GET', '/image/v2/images/nowhere');
    await world.ask('identity', 'GET', '/identity/v3/users/nowhere');
    expect(lines.map(({ status }) => status)).to.deep.equal([400, 404, 404, 404, 404]);
    expect(lines[0]!.reason).to.include('colour');
    expect(lines[1]!.reason).to.equal('Instance nowhere could not be found.');
    expect(lines[2]!.reason).to.equal('Network nowhere could not be found.');
    expect(lines[3]!.reason).to.match(/^404 Not Found .*nowhere/);
    expect(lines[4]!.reason).to.equal('Could not find user: nowhere.');
  });

  it('contains the name of an action only if the action exists', async () => {
    const act = (body: object) =>
      world.ask('compute', 'POST', '/compute/v2.1/servers/nowhere/action', { body });
    await act({ 'os-stop': null });
    await act({ dance: null });
    expect(lines.map(({ action }) => action)).to.deep.equal(['os-stop', undefined]);
    expect(lines[1]!.reason).to.include('dance');
  });

  it('contains no secrets if the error message quotes them', async () => {
    const body = { changePassword: { adminPass: ["it's hunter2"] } };
    const refused = await world.ask('compute', 'POST', '/compute/v2.1/servers/nowhere/action', {
      body,
    });
    expect(refused.text).to.include("Value: ['***']").and.not.include('hunter2');
    expect(lines[0]!.reason).to.include('adminPass').and.not.include('hunter2');
  });

  it('truncates long queries and reasons', async () => {
    await world.ask(
      'placement',
      'GET',
      `/placement/resource_providers?name=${'x'.repeat(5000)}&y=1`,
      { version: '1.2' },
    );
    expect(lines[0]!.msg.length).to.be.within(500, 600);
    expect(lines[0]!.reason!.length).to.be.below(510);
  });
});
