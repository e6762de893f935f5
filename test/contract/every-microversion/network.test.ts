// The version sweep of Network.
import { sweep } from './every-microversion.ts';

sweep('network');
