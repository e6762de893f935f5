// The second half of `npm run build`, after the bundle.
import { compileDocuments } from './kernel/http/documents.ts';

compileDocuments();
