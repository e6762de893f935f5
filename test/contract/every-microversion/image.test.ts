// The version sweep of Image.
import { sweep } from './every-microversion.ts';

sweep('image');
