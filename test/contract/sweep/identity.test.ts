// The version sweep of Identity.
import { sweep } from './sweep.ts';

sweep('identity');
