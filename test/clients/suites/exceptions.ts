// What of a suite does not pass, each test with its reason: what else does not pass is a failure,
// and what passes needs no reason any more.
import { assert } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';

export interface Result {
  readonly test: string;
  readonly outcome: 'passed' | 'skipped' | 'failed';
  /** Why it was skipped, or the traceback. */
  readonly message: string;
}

/** Tests that do not pass for one reason, whether the suite skips them or they fail. */
export interface Exception {
  readonly reason: string;
  /** False where they are not even tried, because they would wait for long. */
  readonly run?: boolean;
  /**
   * The first release, by its first number, in which they pass: an exception of those before it.
   */
  readonly before?: number;
  /** The first release for which it is one. */
  readonly since?: number;
  /** Whole names of tests, or of classes and modules with all their tests. */
  readonly tests: readonly string[];
}

export class Exceptions {
  #all: readonly Exception[];
  readonly #results: Result[] = [];

  /** @param file the YAML file with the exceptions, a list; without one there are none */
  constructor(file?: URL) {
    this.#all = file ? (parse(readFileSync(file, 'utf8')) as Exception[]) : [];
  }

  /** Leaves those of other releases out. */
  ofRelease(version: string): void {
    const release = Number.parseInt(version);
    this.#all = this.#all.filter(
      ({ since = 0, before = Infinity }) => since <= release && release < before,
    );
  }

  /** The names of what is not to be run. */
  get notRun(): readonly string[] {
    return this.#all.filter(({ run }) => run === false).flatMap(({ tests }) => tests);
  }

  /** Keeps these results. @throws AssertionError with what does not pass and is no exception */
  keep(results: readonly Result[]): void {
    this.#results.push(...results);
    const known = this.#all.flatMap(({ tests }) => tests);
    const unknown = results.filter(
      (one) => one.outcome !== 'passed' && !known.some((name) => isAbout(name, one)),
    );
    assert(!unknown.length, unknown.map(tell).join('\n\n'));
  }

  /** The names of exceptions of which all tests passed. */
  get needless(): readonly string[] {
    const names = this.#all.flatMap(({ tests }) => tests);
    return names.filter((name) => {
      const about = this.#results.filter((one) => isAbout(name, one));
      return about.length > 0 && about.every(({ outcome }) => outcome === 'passed');
    });
  }

  /** How many passed, and did not. */
  get summary(): string {
    const count = (outcome: Result['outcome']): number =>
      this.#results.filter((one) => one.outcome === outcome).length;
    return (
      `${count('passed')} passed, ${count('skipped')} skipped by themselves, ` +
      `${count('failed')} failed`
    );
  }

  get empty(): boolean {
    return !this.#results.length;
  }

  /** Writes all results to the file that CUMULET_TEST_RESULTS names, if it names one. */
  write(): void {
    const file = process.env['CUMULET_TEST_RESULTS'];
    if (file !== undefined && file !== '')
      writeFileSync(file, JSON.stringify(this.#results, undefined, 1));
  }
}

const isAbout = (name: string, { test }: Result): boolean =>
  test === name || test.startsWith(`${name}.`);

const tell = ({ test, outcome, message }: Result): string =>
  `${test} ${outcome}\n${message.slice(-3000)}`;
