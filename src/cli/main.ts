#!/usr/bin/env node
// The entry point of the command line. It checks the version of Node.js before anything is loaded
// that an old version cannot load.
import module from 'node:module';
import { refusalOfNode } from './node-version.ts';

const refusal = refusalOfNode(process.versions.node);
if (refusal === undefined) {
  // From Node.js 22.8 on, the second start reads compiled code.
  (module as { enableCompileCache?: () => void }).enableCompileCache?.();
  // The name is a variable, so that the build keeps the program in a file of its own.
  const program = import.meta.url.endsWith('.ts') ? './run.ts' : './run.js';
  await import(program);
} else {
  process.stderr.write(`cumulet: ${refusal}\n`);
  process.exitCode = 1;
}
