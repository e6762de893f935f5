// Counts the statements that a Cumulet runs on SQLite, in its process.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pause } from '../src/kernel/clock.ts';

/** Counts the statements of a process that runs with these flags of Node. */
export interface StatementCounter {
  readonly nodeFlags: readonly string[];
  /** How many statements the process has run, savepoints and commits included. */
  count(pid: number): Promise<number>;
  remove(): void;
}

/** Makes a counter for one process. It replaces the driver of SQLite when the process loads it. */
export function statementCounter(): StatementCounter {
  const own = mkdtempSync(join(tmpdir(), 'cumulet-statements-'));
  const file = join(own, 'count');
  const code = `
    import Module from 'node:module';
    import { renameSync, writeFileSync } from 'node:fs';
    let count = 0;
    const counted = (run, on) => ({ value: (...given) => (count++, run.apply(on, given)) });
    const countingDriver = (driver) => ({
      ...driver,
      DatabaseSync: class extends driver.DatabaseSync {
        prepare(sql) {
          const statement = super.prepare(sql);
          for (const name of ['run', 'get', 'all', 'iterate'])
            Object.defineProperty(statement, name, counted(statement[name], statement));
          return statement;
        }
        exec(sql) {
          count++;
          return super.exec(sql);
        }
      },
    });
    const load = Module._load;
    Module._load = function (name, ...rest) {
      const loaded = load.call(this, name, ...rest);
      return name.endsWith('sqlite') && loaded.DatabaseSync ? countingDriver(loaded) : loaded;
    };
    process.on('SIGUSR2', () => {
      writeFileSync(${JSON.stringify(`${file}.new`)}, String(count));
      renameSync(${JSON.stringify(`${file}.new`)}, ${JSON.stringify(file)});
    });`;
  return {
    nodeFlags: ['--import', `data:text/javascript,${encodeURIComponent(code)}`],
    async count(pid) {
      process.kill(pid, 'SIGUSR2');
      while (!existsSync(file)) await pause(5);
      const text = readFileSync(file, 'utf8');
      rmSync(file);
      return Number(text);
    },
    remove: () => rmSync(own, { recursive: true }),
  };
}
