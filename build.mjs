// Builds dist/: the program and the library, the API descriptions as JSON, and the
// schemas of new databases.
import { bundle } from './bundle.mjs';

await bundle('dist', { sourcemap: true });

const { refusalOfNode } = await import('./dist/node-version.js');
const refusal = refusalOfNode(process.versions.node);
if (refusal === undefined) {
  await import('./dist/compile.js');
} else {
  console.error(refusal);
  process.exitCode = 1;
}
