// The second half of `npm run build`, after the bundle.
import { compileDocuments } from '../kernel/contract/documents.ts';

compileDocuments();
