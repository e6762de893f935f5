// The lines on a terminal that say how far a command is.
import { expect } from 'chai';
import { eachShowingProgress } from '../../src/kernel/user/progress.ts';

/** A terminal that keeps what is written to it. */
function terminal(isTTY: boolean) {
  const written: string[] = [];
  return { isTTY, written, write: (text: string) => written.push(text) > 0 };
}

const double = (number: number): Promise<number> => Promise.resolve(2 * number);

describe('progress', () => {
  it('counts items on a terminal, and clears the line at the end', async () => {
    const shown = terminal(true);
    expect(await eachShowingProgress('Doubling', [1, 2], double, shown)).to.deep.equal([2, 4]);
    const line = shown.written.join('');
    expect(line).to.include('Doubling 1 of 2').and.to.include('Doubling 2 of 2');
    expect(line.endsWith('\r\u001B[K')).to.equal(true);
  });

  it('clears the line if an item fails', async () => {
    const shown = terminal(true);
    const fail = (): Promise<never> => Promise.reject(new Error('wrong'));
    const failure = await eachShowingProgress('Failing', [1, 2], fail, shown).catch(
      (error: unknown) => (error as Error).message,
    );
    expect(failure).to.equal('wrong');
    expect(shown.written.at(-1)).to.equal('\r\u001B[K');
  });

  it('shows nothing for a single item, and nothing where there is no terminal', async () => {
    for (const [isTTY, items] of [
      [true, [1]],
      [false, [1, 2]],
    ] as const) {
      const shown = terminal(isTTY);
      await eachShowingProgress('Doubling', items, double, shown);
      expect(shown.written).to.deep.equal([]);
    }
  });
});
