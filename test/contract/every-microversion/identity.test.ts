// The version sweep of Identity.
import { sweep } from './every-microversion.ts';

sweep('identity');
