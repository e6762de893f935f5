// Concurrent requests for the last free hosts, through two processes on one MySQL.
import { expect } from 'chai';
import { onTwoProcesses } from '../../support/processes.ts';
import { hostReservation, instanceReservation, type Fields } from './support.ts';

async function ask(
  origin: string,
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; body: Fields }> {
  const headers = {
    'x-auth-token': 'admin',
    ...(body ? { 'content-type': 'application/json' } : {}),
  };
  const response = await fetch(`${origin}${path}`, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  return { status: response.status, body: (text ? JSON.parse(text) : {}) as Fields };
}

const lease = (reservation: Fields, start: string, end: string): object => ({
  name: 'race',
  start_date: start,
  end_date: end,
  reservations: [reservation],
});

onTwoProcesses('leases through two processes on one MySQL', ['--hosts', '3'], (origins) => {
  it('never exceed the capacity of hosts, and start and end once', async () => {
    const [first, second] = origins();
    for (const name of ['compute-1', 'compute-2', 'compute-3']) {
      const { status, body } = await ask(first, 'POST', '/reservation/v1/os-hosts', { name });
      expect(status, JSON.stringify(body)).to.equal(201);
    }
    const [start, end] = ['2040-01-01 10:00', '2040-01-01 11:00'];
    const count = (answers: readonly { status: number; body: Fields }[]): [number, string[]] => [
      answers.filter(({ status }) => status === 201).length,
      [
        ...new Set(
          answers
            .filter(({ status }) => status !== 201)
            .map(({ body }) => String(body['error_message'])),
        ),
      ],
    ];
    const race = (
      reservation: Fields,
      from: string,
      to: string,
    ): Promise<{ status: number; body: Fields }[]> =>
      Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          ask(
            index % 2 ? first : second,
            'POST',
            '/reservation/v1/leases',
            lease(reservation, from, to),
          ),
        ),
      );
    // Each uses 8 of 16 VCPU, so six fit on three hosts.
    expect(count(await race(instanceReservation({ vcpus: 8 }), start, end))).to.deep.equal([
      6,
      ['Not enough hosts available'],
    ]);
    expect(count(await race(hostReservation(), end, '2040-01-01 12:00'))).to.deep.equal([
      3,
      ['Not enough hosts available'],
    ]);
    const allocations = (await ask(second, 'GET', '/reservation/v1/os-hosts/allocations')).body[
      'allocations'
    ] as Fields[];
    expect(allocations.map(({ reservations }) => (reservations as unknown[]).length)).to.deep.equal(
      [3, 3, 3],
    );
    // Both processes find the due jobs at the same time.
    await ask(first, 'PUT', '/_emulator/clock', { now: '2040-01-01T10:30:00Z', frozen: true });
    const statuses = async (origin: string): Promise<string[]> => {
      const { body } = await ask(origin, 'GET', '/reservation/v1/leases');
      return (body['leases'] as Fields[]).map(({ status }) => status as string).toSorted();
    };
    const [one, two] = await Promise.all([statuses(first), statuses(second)]);
    expect(one).to.deep.equal([...Array(6).fill('ACTIVE'), ...Array(3).fill('PENDING')]);
    expect(two).to.deep.equal(one);
    await ask(second, 'POST', '/_emulator/clock/advance', { to: '2040-01-01T12:00:00Z' });
    expect(new Set(await statuses(first))).to.deep.equal(new Set(['TERMINATED']));
  });
});
