// The version sweep of Tricircle.
import { sweep } from './every-microversion.ts';

sweep('tricircle');
