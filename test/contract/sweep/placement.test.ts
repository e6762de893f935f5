// The version sweep of Placement.
import { sweep } from './sweep.ts';

sweep('placement');
