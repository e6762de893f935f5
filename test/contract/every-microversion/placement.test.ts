// The version sweep of Placement.
import { sweep } from './every-microversion.ts';

sweep('placement');
