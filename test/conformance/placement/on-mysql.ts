// Runs run.py with the same arguments on a private MySQL or MariaDB, or on the server that
// CUMULET_TEST_DATABASE names.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startMysql } from '../../support/mysql.ts';

const server = await startMysql();
if (!server) {
  console.log('Skipped on MySQL: neither MySQL nor MariaDB is installed.');
} else {
  console.log(`On ${server.version}:`);
  const python = process.env['CUMULET_TEST_PYTHON'] ?? '/usr/bin/python3';
  const program = fileURLToPath(new URL('run.py', import.meta.url));
  const child = spawn(python, [program, ...process.argv.slice(2), '--database', server.url], {
    stdio: 'inherit',
  });
  process.exitCode = await new Promise<number>((resolve) =>
    child.once('exit', (code) => resolve(code ?? 1)),
  );
  await server.stop();
}
