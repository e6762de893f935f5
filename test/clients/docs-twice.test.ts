// Runs the commands of each page twice in the same folder, as somebody does who reads it again.
import { runPages } from '../docs/page-suite.ts';

runPages(['works in a new folder', 'works again in the folder of the first run']);
