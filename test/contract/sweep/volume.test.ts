// The version sweep of Volume.
import { sweep } from './sweep.ts';

sweep('volume');
