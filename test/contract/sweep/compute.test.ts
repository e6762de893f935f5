// The version sweep of Compute.
import { sweep } from './sweep.ts';

sweep('compute');
