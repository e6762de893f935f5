// Builds dist/: the program and the library, and the API descriptions as JSON.
import { bundle } from './bundle.mjs';

await bundle('dist', { sourcemap: true });

const { refusalOfNode } = await import('./dist/node-version.js');
const refusal = refusalOfNode(process.versions.node);
if (refusal === undefined) {
  await import('./dist/compile-api-ref.js');
} else {
  console.error(refusal);
  process.exitCode = 1;
}
