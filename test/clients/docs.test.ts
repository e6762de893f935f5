// Runs the commands of the documentation: see docs/page-suite.ts.
import { runPages } from '../docs/page-suite.ts';

runPages(['works in a new folder']);
