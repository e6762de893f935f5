// Starts Debian's Heat (the packages heat-api and heat-engine) on top of an emulator.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createConnection } from 'mysql2/promise';
import { startOwnMysql } from '../../support/mysql.ts';
import { startServer } from '../../support/processes.ts';
import { heatConf } from './config.ts';

export interface Orchestration {
  readonly origin: string;
  /** The latest errors and warnings in its log. */
  errors(): string;
  stop(): Promise<void>;
}

const python = '/usr/bin/python3';
const program = fileURLToPath(new URL('serve.py', import.meta.url));

/** Whether Heat is installed: `apt-get install heat-api heat-engine python3-heatclient`. */
export const hasHeat = (): boolean =>
  spawnSync(python, ['-c', 'import heat, heatclient; open("/etc/heat/api-paste.ini")']).status ===
  0;

/**
 * Starts Heat for the Keystone at an address, with a database of its own on MariaDB: on SQLite, it
 * loses properties of restored resources, because SQLite gives the IDs of deleted rows again.
 * @throws Error if there is no MariaDB; with its output if it exits before it listens
 */
export async function startHeat(keystoneUrl: string): Promise<Orchestration> {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-heat-'));
  const mysql = await startOwnMysql();
  if (!mysql) throw new Error('MySQL or MariaDB is not installed.');
  const connection = await createConnection(mysql.url);
  await connection.query('CREATE DATABASE heat CHARACTER SET utf8');
  await connection.end();
  const configFile = join(folder, 'heat.conf');
  const log = join(folder, 'heat.log');
  const database = `${mysql.url.replace('mysql://', 'mysql+pymysql://')}/heat?charset=utf8`;
  writeFileSync(configFile, heatConf({ keystone: keystoneUrl, database, log }));
  execFileSync('/usr/bin/heat-manage', ['--config-file', configFile, 'db_sync'], { stdio: 'pipe' });
  const command = [python, '-W', 'ignore', program, '--config-file', configFile];
  const server = await startServer('Heat', command, { cwd: folder });
  return {
    origin: server.origin,
    errors: () => {
      const lines = readFileSync(log, 'utf8').split('\n');
      return lines
        .filter((line) => / ERROR .*[A-Z]\w+: /.test(line))
        .slice(-10)
        .join('\n');
    },
    async stop() {
      // On SIGTERM, its engine would wait for unfinished stacks.
      await server.kill();
      await mysql.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
