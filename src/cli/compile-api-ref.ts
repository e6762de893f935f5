// Compiles the API descriptions to JSON: the second step of `npm run build`, after the bundle.
import { compileDocuments } from '../kernel/contract/documents.ts';

compileDocuments();
