// Checks results against the known exceptions of a suite, each with its reason: any other failure
// fails the run, and so does an exception whose tests all pass.
import { assert } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';

export interface Result {
  readonly test: string;
  readonly outcome: 'passed' | 'skipped' | 'failed';
  /** Why it was skipped, or the traceback. */
  readonly message: string;
}

/** Tests that fail or are skipped for the same reason. */
export interface Exception {
  readonly reason: string;
  /** False if the tests are not run at all, because they would wait for a long time. */
  readonly run?: boolean;
  /** The first major release in which the tests pass: the exception applies to older ones. */
  readonly before?: number;
  /** The first major release to which the exception applies. */
  readonly since?: number;
  /** Full names of tests, or of classes and modules to include all their tests. */
  readonly tests: readonly string[];
}

export class Exceptions {
  #all: readonly Exception[];
  readonly #results: Result[] = [];

  /** @param files YAML lists of exceptions; without any, all tests must pass */
  constructor(files: readonly URL[] = []) {
    this.#all = files.flatMap((file) => parse(readFileSync(file, 'utf8')) as Exception[]);
  }

  /** Removes the exceptions for other releases. */
  selectRelease(version: string): void {
    const release = Number.parseInt(version);
    this.#all = this.#all.filter(
      ({ since = 0, before = Infinity }) => since <= release && release < before,
    );
  }

  /** The names of tests that must not run. */
  get notRun(): readonly string[] {
    return this.#all.filter(({ run }) => run === false).flatMap(({ tests }) => tests);
  }

  /**
   * Records these results.
   * @throws AssertionError listing the tests that do not pass and are not exceptions
   */
  record(results: readonly Result[]): void {
    this.#results.push(...results);
    const known = this.#all.flatMap(({ tests }) => tests);
    const unknown = results.filter(
      (one) => one.outcome !== 'passed' && !known.some((name) => covers(name, one)),
    );
    assert(!unknown.length, unknown.map(format).join('\n\n'));
  }

  /** The names of exceptions whose tests all passed. */
  get unnecessary(): readonly string[] {
    const names = this.#all.flatMap(({ tests }) => tests);
    return names.filter((name) => {
      const covered = this.#results.filter((one) => covers(name, one));
      return covered.length > 0 && covered.every(({ outcome }) => outcome === 'passed');
    });
  }

  /** The number of tests by outcome. */
  get summary(): string {
    const count = (outcome: Result['outcome']): number =>
      this.#results.filter((one) => one.outcome === outcome).length;
    return `${count('passed')} passed, ${count('skipped')} skipped, ${count('failed')} failed`;
  }

  get empty(): boolean {
    return !this.#results.length;
  }

  /** Writes all results to the file in CUMULET_TEST_RESULTS, if that is set. */
  write(): void {
    const file = process.env['CUMULET_TEST_RESULTS'];
    if (file !== undefined && file !== '')
      writeFileSync(file, JSON.stringify(this.#results, undefined, 1));
  }
}

const covers = (name: string, { test }: Result): boolean =>
  test === name || test.startsWith(`${name}.`);

const format = ({ test, outcome, message }: Result): string =>
  `${test} ${outcome}\n${message.slice(-3000)}`;
