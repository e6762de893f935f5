// The version sweep of Compute.
import { sweep } from './every-microversion.ts';

sweep('compute');
