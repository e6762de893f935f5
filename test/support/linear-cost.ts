// Checks that a task takes time linear in the length of its input.
import { expect } from 'chai';

/** The minimum processor time, in microseconds, of a few runs. */
async function cost(task: () => unknown): Promise<number> {
  let least = Infinity;
  for (let round = 0; round < 3; round++) {
    const before = process.cpuUsage();
    await task();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, user + system);
  }
  return least;
}

/** Microseconds; smaller times are noise. */
const noise = 20_000;

/** A garbage collection or a busy machine may spoil a measurement, but not this many in a row. */
const maxAttempts = 3;

/**
 * Expects that input of four times the length takes about four times as long. Quadratic time would
 * be sixteen times as long.
 */
export async function expectLinear(size: number, task: (size: number) => unknown): Promise<void> {
  await task(Math.ceil(size / 16));
  for (let attempt = 1; ; attempt++) {
    const [once, four] = [await cost(() => task(size)), await cost(() => task(4 * size))];
    const most = noise + 10 * once;
    if (four > most && attempt < maxAttempts) continue;
    expect(four, `${size} takes ${once} us, ${4 * size} takes ${four} us`).to.be.below(most);
    return;
  }
}
