// Runs the commands of each page, then again in the same folder, as somebody does who reads the
// page a second time: see docs/page-suite.ts.
import { runPages } from '../docs/page-suite.ts';

runPages(['works in a new folder', 'works again in the folder of the first run']);
