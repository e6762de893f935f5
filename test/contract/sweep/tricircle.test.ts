// The version sweep of Tricircle.
import { sweep } from './sweep.ts';

sweep('tricircle');
