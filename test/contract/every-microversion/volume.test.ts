// The version sweep of Volume.
import { sweep } from './every-microversion.ts';

sweep('volume');
