// The version sweep of Network.
import { sweep } from './sweep.ts';

sweep('network');
